/** The objects of the API, by the names that the pages use. */
import type { OperatorRecord, PublicRecord } from "../../src/records/public-record.ts";
import type { PublicSummary, PublicSumRow } from "../../src/usage/summary-view.ts";
import type { Schemas } from "./schema.ts";

export type Summary = PublicSummary;
export type SumRow = PublicSumRow;
/** What operators see of it is there for operators alone. */
export type UsageRecord = PublicRecord & Partial<Omit<OperatorRecord, keyof PublicRecord>>;
export type Attempt = OperatorRecord["attempts"][number];
export type ApiKey = Schemas["Key"];
export type IssuedKey = Schemas["IssuedKey"];
export type NewKey = Schemas["NewKey"];
export type KeyAccess = Schemas["KeyAccess"];
export type Account = Schemas["Account"];
export type OwnAccount = Schemas["OwnAccount"];
export type Budget = Schemas["Budget"];
export type NewBudget = Schemas["NewBudget"];
export type PriceVersion = Schemas["PriceVersion"];
export type Change = Schemas["Change"];
export type Audit = Schemas["Audit"];
export type RequestBodies = Schemas["RequestBodies"];
export type BodyLog = Schemas["BodyLog"];
export type AuditWithFindings = Schemas["AuditWithFindings"];
export type OperatorVideo = Schemas["OperatorVideo"];
export type OperatorFile = Schemas["OperatorFile"];
export type WebhookEvent = Schemas["Event"];
export type SearchBackend = Schemas["SearchBackend"];
export type Provider = Schemas["Provider"];
export type ModelDefinition = Schemas["ModelDefinition"];
export type PriceReplay = Schemas["PriceReplay"];
export type { Schemas } from "./schema.ts";

/** How a target of a model has been doing, in the process that answers. */
export interface TargetHealth {
  readonly provider: string | null;
  readonly model: string;
  readonly upstream_model: string | null;
  readonly state: "closed" | "open" | "half_open";
  readonly in_flight: number;
  /** The failed share of the last minute's calls. */
  readonly error_rate: number;
  readonly latency_ms: number | null;
  readonly open_until: number | null;
}

/** Which targets a request would go to, and why not the others. */
export interface RouteExplanation {
  readonly requested_model: string;
  readonly strategy_name: string;
  readonly chosen: { readonly model: string; readonly provider: string | null } | null;
  readonly candidates: readonly {
    readonly model: string;
    readonly provider: string | null;
    readonly state: string;
    readonly in_flight: number;
    readonly latency_ms: number | null;
    readonly estimated_amount_microusd: number | null;
  }[];
  readonly excluded: readonly { readonly model: string; readonly provider: string | null; readonly reason: string }[];
  readonly estimated_amount_microusd: number | null;
  readonly greatest_amount_microusd: number | null;
}

/** A route in the format of the configuration. */
export type Route = Schemas["Route"] & {
  readonly alias?: string;
  readonly strategy?: string;
  readonly targets?: readonly (string | { readonly model: string; readonly weight?: number })[];
  readonly requires?: readonly string[];
  readonly retry?: { readonly attempts?: number | null };
  readonly fallback_on?: readonly string[];
  readonly hedge_after_ms?: number | null;
  readonly problem?: string;
};

/** A model of the catalog. */
export interface CatalogModel {
  readonly id: string;
  readonly name: string | null;
  readonly description: string | null;
  readonly owned_by: string | null;
  readonly supported_endpoint_types: readonly string[];
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly input_modalities: readonly string[];
  readonly output_modalities: readonly string[];
  readonly context_length: number | null;
  readonly max_output_tokens: number | null;
  readonly pricing: readonly Price[];
  readonly aliases: readonly string[];
}

export interface Price {
  readonly dimension: string;
  readonly unit: string;
  readonly unit_size: number;
  readonly unit_microusd: number;
  readonly variant?: string;
  readonly above_input_tokens?: number;
  readonly service_tier?: string;
  readonly window?: string;
}

/** A page of a list; `next` is the `after` of the page that follows. */
export interface Page<Item> {
  readonly data: readonly Item[];
  readonly has_more: boolean;
  readonly next: string | number | null;
}

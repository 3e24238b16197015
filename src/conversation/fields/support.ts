import type { FieldName } from "./fields.ts";
import type { ConversationRequest } from "../request.ts";
import { visitFields } from "./used-fields.ts";

/** The treatment of a field on its way to a provider. */
export type Support =
  /** The provider has the same. */
  | { readonly status: "carried" }
  /** The provider has something that does the same; `how` is for the documentation. */
  | { readonly status: "emulated"; readonly how: string; readonly fetched?: boolean }
  /** Left out, and the caller is warned: the answer is no less an answer without it. */
  | { readonly status: "ignored" }
  /** 400: without it the answer would not be what was asked for. */
  | { readonly status: "refused"; readonly why: string };

/** One provider dialect's column of the support table. A field that is missing is a type error. */
export type SupportColumn = Readonly<Record<FieldName, Support>>;

/** A dialect's column, and the models that differ from it. */
export interface SupportTable {
  readonly column: SupportColumn;
  /** All entries whose pattern matches the provider's own name of the model apply, later ones over earlier ones. */
  readonly quirks: readonly { readonly models: RegExp; readonly changes?: Partial<SupportColumn> }[];
}

export const carried: Support = { status: "carried" };
export const ignored: Support = { status: "ignored" };

/** Done by other means. `how` completes "emulated by ...". */
export function emulated(how: string): Support {
  return { status: "emulated", how };
}

/** The provider takes no addresses: the gateway fetches what is there and sends its bytes. */
export const fetched: Support = { status: "emulated", how: "fetching it and sending the bytes", fetched: true };

/** Refused with 400. `why` is a whole sentence, shown to the caller. */
export function refused(why: string): Support {
  return { status: "refused", why };
}

/** A column with the differences of some models applied. */
export function withChanges(column: SupportColumn, changes: Partial<SupportColumn>): SupportColumn {
  return { ...column, ...changes };
}

/** The result of a review: the first refused field, and the paths of all ignored ones. */
export interface Review {
  readonly refusal: { readonly path: string; readonly why: string } | null;
  /** As the caller wrote them, in order, each once. */
  readonly warnings: readonly string[];
}

/**
 * Holds a request against a column: the one place that decides on refusing and warning. An encoder that has passed the
 * review writes what is carried or emulated and leaves out the rest.
 */
export function reviewRequest(request: ConversationRequest, column: SupportColumn): Review {
  const warnings = new Set<string>();
  let refusal: Review["refusal"] = null;
  visitFields(request, (field, path) => {
    const support = column[field];
    if (support.status === "ignored") warnings.add(path);
    if (support.status === "refused") refusal ??= { path, why: support.why };
  });
  return { refusal, warnings: [...warnings] };
}

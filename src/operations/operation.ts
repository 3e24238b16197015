import type { BodyAttribution } from "../attribution/body-attribution.ts";
import type { RequestHeaders } from "../http/headers.ts";
import type { VendorKeyHeader } from "../access/credentials.ts";
import type { Identity } from "../access/identity.ts";
import type { DialectName, Exchange, Observation, WholeAnswer } from "../dialects/exchange.ts";
import type { GatewayError } from "../errors.ts";
import type { MultipartForm } from "../multipart/form.ts";
import type { Responses } from "../responses/responses.ts";
import type { DimensionName } from "../dimensions.ts";
import type { ExpectedUsage } from "../metering/expected-usage.ts";
import type { Usage } from "../metering/usage.ts";
import type { Model, Target } from "../routing/names/model.ts";
import type { JsonObject } from "../json/values.ts";
import type { Candidate } from "../routing/choice/candidate.ts";
import type { SearchCache } from "../search/cache/search-cache.ts";
import type { Arrange } from "../routing/choice/plan.ts";
import type { RequestWay } from "./request-way.ts";
import type { ProviderHalves } from "./provider-halves.ts";
import type { JobFacts, RemixSources } from "./videos/job-facts.ts";
import type { FetchMedia } from "../upstream/fetch-media.ts";
import type { MediaTools } from "./images/media-tools.ts";
import type { UploadedFiles } from "./uploaded-files.ts";

/** The facts that every billable request has, of any operation. */
export interface OperationInput {
  /** The name the caller asked for. */
  readonly model: string;
  readonly stream: boolean;
  /** The maximum tokens of one answer, as the caller asks. */
  readonly maxOutputTokens?: number | undefined;
}

/** The form in which a dialect's callers get errors and request ids. */
export interface ErrorFormat {
  /** The vendor's own envelope. */
  errorBody(error: GatewayError, requestId: string): object;
  /** The header in which this vendor's SDK looks for the id of a request. */
  readonly idHeader: "x-request-id" | "request-id";
}

/** The body of a request as an operation reads it. */
export type RequestBody =
  | { readonly kind: "json"; readonly text: string }
  | { readonly kind: "multipart"; readonly form: MultipartForm }
  | { readonly kind: "none" };

/** The facts about a request, beside the body, that an operation may use. */
export interface ReadContext {
  readonly requestId: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly headers: RequestHeaders;
  /** A URL with the path and the query as the caller sent them; its host means nothing. May hold a key: never to be logged. */
  readonly url: string;
  readonly identity: Identity;
  readonly responses: Responses;
  readonly files: UploadedFiles;
  /** Counts what the request has in memory beside its body. */
  readonly hold: { addBodyBytes(bytes: number): void };
  readonly videos: RemixSources;
}

/** The parts of the gateway that putting a request to a target may need. */
export interface ExchangeTools {
  /** The provider half of each dialect. Throws an `Error` for a name that no dialect has. */
  readonly dialects: { find(name: DialectName): { readonly provides: ProviderHalves } };
  readonly fetchMedia: FetchMedia;
  /** For media that providers have made. */
  readonly media: MediaTools;
  /** Null or absent: no answers to searches are kept. */
  readonly searchCache?: SearchCache | null;
}

/** A good answer that is kept from before. */
export interface Recalled {
  readonly answer: WholeAnswer;
  /** The warnings that the answer had. */
  readonly warnings: Exchange["warnings"];
  /** The one that gave it. */
  readonly model: Model;
}

/** A capability that a request asks of a model, and the caller's field that asks for it. */
export interface CapabilityUse {
  /** As `parameters` of a model names it: `tools`. */
  readonly capability: string;
  readonly field: string;
}

/** The last piece of a good answer; null if nothing but the end of the connection ends its stream. */
export type LastPiece = string | Uint8Array | null;

/**
 * An operation: what one dialect serves at one endpoint. Everything of its own is here; the path of a request is the
 * same for all of them: see `pipeline/serve.ts`.
 */
export interface Operation<Input extends OperationInput> {
  /** As scopes, the catalog and `explain` name it: `chat`. */
  readonly endpoint: string;
  /** The paths at which it is served. `{model}` and `{id}` stand for one part of the path, `{model+}` for one or more. */
  readonly paths: readonly string[];
  readonly method: "POST" | "GET" | "DELETE";
  /** `json_or_multipart`: a form if the content type says so. */
  readonly body: RequestBody["kind"] | "json_or_multipart";
  readonly keyHeader: VendorKeyHeader | null;
  readonly errorFormat: ErrorFormat;
  /** Costs nothing: not counted against requests per minute, and its record's amount is 0. */
  readonly isFree?: true;
  /** What is put to a target keeps to its model's `maxOutputTokens`, so that a request can be given a lower limit. */
  readonly limitsOutput?: boolean;
  /** What its requests name: models and routes if not given. */
  readonly names?: "backends";
  /** False: nothing of it is counted in tokens, so that its record has no measurement. */
  readonly countsTokens?: false;
  /** Reads and checks a body. Throws a 400 that names the field. */
  read(body: RequestBody, context: ReadContext): Input | Promise<Input>;
  /** What the body says of for whom the request is; null if it says nothing. */
  attribution?(input: Input): BodyAttribution | null;
  /** The capabilities that the request needs. Called at most once a request, and only if a model lacks some. */
  capabilities?(input: Input): readonly CapabilityUse[];
  /** Refuses what else the model cannot do. Throws a 400 that names the field. */
  checkModel?(input: Input, model: Model): void;
  /** The job that the request begins: it is durable before a provider is asked. Absent: the request ends with its answer. */
  job?(input: Input): JobFacts;
  /** The order in which candidates are asked, if it is the operation's own. */
  arrange?(input: Input, ...choice: Parameters<Arrange>): ReturnType<Arrange>;
  /** How a request without an answer was looked after, for its record. Never throws. */
  failureReceipt?(input: Input, way: RequestWay): JsonObject;
  /** The expected usage of a request: booked against tokens per minute, and compared by cost. */
  expectedUsage(input: Input): ExpectedUsage;
  /** An upper bound of the tokens that the model reads, in UTF-8 bytes; 0 if its context length is no bound. */
  size(input: Input): number;
  /**
   * What an answer has used, if it can be measured in several ways: by those that the model has prices for. Absent: by
   * the tokens that are reported, or else estimated.
   */
  measure?(input: Input, observation: Observation, isPriced: (name: DimensionName) => boolean): Usage | Promise<Usage>;
  /** A careful figure of the tokens read, if no provider reports them. */
  estimateInput(input: Input): Promise<number>;
  /**
   * How the request is put to one target. Throws a 400 if the target's dialect cannot carry it; null skips the target,
   * which has no such operation.
   */
  exchange(
    input: Input,
    target: Target,
    model: Model,
    tools: ExchangeTools,
  ): Exchange | null | Promise<Exchange | null>;
  /**
   * An answer from before that is as good as a new one: then no candidate is asked, and nothing is held. Null if there is
   * none.
   */
  recall?(input: Input, candidates: readonly Candidate[], tools: Pick<ExchangeTools, "searchCache">): Recalled | null;
  /** The gateway's own answer if no target could give one; without it, or if it is null, that is an error. */
  answerAlone?(input: Input): Promise<WholeAnswer | null>;
  /**
   * Makes durable what can be asked for again of a good answer, before its record is kept and its caller sees the end:
   * `lastPiece` is all of a whole answer, or what ends a streamed one. If it rejects, the request has failed.
   */
  keep?(input: Input, lastPiece: LastPiece, target: Target): Promise<void>;
}

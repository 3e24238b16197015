import type { VendorKeyHeader } from "../access/credentials.ts";
import type { Identity } from "../access/identity.ts";
import type { Exchange, WholeAnswer } from "../dialects/exchange.ts";
import type { GatewayError } from "../errors.ts";
import type { Responses } from "../responses/responses.ts";
import type { ExpectedUsage } from "../metering/expected-usage.ts";
import type { Model, Target } from "../routing/names/model.ts";
import type { FetchMedia } from "../upstream/fetch-media.ts";

/** What every billable request says, whatever its endpoint. */
export interface EndpointInput {
  /** The name the caller asked for. */
  readonly model: string;
  readonly stream: boolean;
}

/** How the gateway itself speaks on an endpoint, beside the answers. */
export interface CallerVoice {
  /** The vendor's own envelope. */
  errorBody(error: GatewayError, requestId: string): object;
  /** The header in which this vendor's SDK looks for the id of a request. */
  readonly idHeader: "x-request-id" | "request-id";
}

/** What an endpoint may look at beside the body. */
export interface ReadContext {
  readonly requestId: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly headers: Headers;
  /** The whole URL as the caller sent it. May hold a key: never to be logged. */
  readonly url: string;
  readonly identity: Identity;
  readonly responses: Responses;
}

/** What putting a request to a target may need of the house. */
export interface ExchangeTools {
  readonly fetchMedia: FetchMedia;
}

/** Null where nothing but the end of the connection ends a stream. */
export type LastWord = string | Uint8Array | null;

/** All that is an endpoint's own. The path of a request is the same for each: see `call.ts`. */
export interface Endpoint<Input extends EndpointInput> {
  /** As scopes and the catalog name it: `chat`. */
  readonly name: string;
  /** The header in which this endpoint's vendor sends the key, which wins over others. */
  readonly keyHeader: VendorKeyHeader | null;
  readonly voice: CallerVoice;
  /** Costs nothing: not counted against requests per minute, and its record's amount is 0. */
  readonly isFree?: true;
  /** Reads and checks a body. Throws a 400 that names the field. */
  read(body: string, context: ReadContext): Input | Promise<Input>;
  /** Refuses what the model cannot do. Throws a 400 that names the field. */
  checkModel(input: Input, model: Model): void;
  /** What a request is going to use: booked against tokens per minute, and compared by cost. */
  expectedUsage(input: Input): ExpectedUsage;
  /** UTF-8 bytes of what the model is to read, and of what surrounds it: an upper bound of its tokens. */
  size(input: Input): number;
  /** Capabilities that not every model has and this request needs: `tools`, `vision`, `audio_input`, `json_schema`. */
  abilitiesUsed?(input: Input): Iterable<string>;
  /** A careful figure of the tokens read, where no provider tells. */
  estimateInput(input: Input): Promise<number>;
  /**
   * How the request is put to one target. Throws a 400 where the target's dialect cannot carry it; null passes the target
   * over, since it has nothing to answer this with.
   */
  exchange(
    input: Input,
    target: Target,
    model: Model,
    tools: ExchangeTools,
  ): Exchange | null | Promise<Exchange | null>;
  /** What the gateway answers by itself where no target could; without it that is an error. */
  answerAlone?(input: Input): Promise<WholeAnswer>;
  /**
   * Makes durable what can be asked for again of a good answer, before its record is kept and its caller sees the end:
   * `lastWord` is all of a whole answer, or what ends a streamed one. Where it rejects, the request has failed.
   */
  keep?(input: Input, lastWord: LastWord, target: Target): Promise<void>;
}

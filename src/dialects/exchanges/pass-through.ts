import type { GatewayError } from "../../errors.ts";
import type { SseEvent } from "../../sse/event.ts";
import type { AnswerContext, DialectCodec } from "../codec.ts";
import type {
  AnswerCollector,
  AnswerStream,
  Exchange,
  ProviderError,
  UpstreamRequest,
  WholeAnswer,
} from "../exchange.ts";
import { observeResponse } from "./observe-events.ts";
import { type Disposition, PassThroughStream, type PassThroughStreamOptions } from "./pass-through-stream.ts";
import { type Ends, openTranslatedCollector, parseBody, writeAsStream, streamForm } from "./through-neutral.ts";

/** How a dialect's streams pass through. */
export interface PassThroughForm {
  /** Of an event with data. Without it every event passes, and the end of the connection is the end of the stream. */
  readonly disposition?: PassThroughStreamOptions["disposition"];
  /** Another form of an event, if this caller is to have one. */
  readonly rewrite?: (event: SseEvent, disposition: Disposition) => Uint8Array;
  /** Ends a good stream, in place of the event that was held for it. */
  readonly terminator?: (held: Uint8Array | null) => Uint8Array | null;
  /** Tells that the stream broke off, in place of the codec's own way. */
  readonly fail?: (error: GatewayError, requestId: string) => Uint8Array;
  /** The id that this caller sees, if it is not the provider's own. */
  readonly answerId?: (providerId: string | null) => string;
  /** A whole answer for this caller, if it is to have another form. */
  readonly rewriteWhole?: (body: Uint8Array) => string;
}

/** One request whose caller and provider speak the same dialect. */
export interface PassThrough {
  readonly codec: DialectCodec;
  readonly request: UpstreamRequest;
  readonly context: AnswerContext;
  readonly form: PassThroughForm;
  /** The paths of the caller's fields that go up otherwise than they were written. */
  readonly warnings?: readonly string[];
}

const encoder = new TextEncoder();
const pass = () => "pass" as const;
const asHeld = (held: Uint8Array | null) => held;

/**
 * Passes bytes on unchanged, both ways, while the dialect's own decoder reads them to measure the answer and to tell a
 * good one from a bad one.
 */
export function passThrough(passing: PassThrough): Exchange {
  return new PassThroughExchange(passing);
}

class PassThroughExchange implements Exchange {
  readonly #passing: PassThrough;

  constructor(passing: PassThrough) {
    this.#passing = passing;
  }

  get request(): UpstreamRequest {
    return this.#passing.request;
  }

  get warnings(): readonly string[] {
    return this.#passing.warnings ?? noWarnings;
  }

  readError(body: unknown): ProviderError | null {
    return this.#passing.codec.provider.decodeError(body);
  }

  readWhole(body: Uint8Array): WholeAnswer {
    const { codec, form } = this.#passing;
    const observation = observeWhole(codec, parseBody(body), answerIdOf(this.#passing));
    return { body: form.rewriteWhole?.(body) ?? body, observation };
  }

  openStream(): AnswerStream {
    return openPassThroughStream(this.#passing);
  }

  wholeAsStream(body: Uint8Array): ReturnType<Exchange["wholeAsStream"]> {
    return writeAsStream(this.#ends(), body);
  }

  openCollector(): AnswerCollector {
    return openTranslatedCollector(this.#ends());
  }

  #ends(): Ends {
    const { codec, context } = this.#passing;
    return { caller: codec.caller, provider: codec.provider, context };
  }
}

const noWarnings: readonly string[] = [];

function openPassThroughStream({ codec, request, context, form }: PassThrough): AnswerStream {
  return new PassThroughStream({
    codec,
    answerId: answerIdOf({ codec, request, context, form }),
    disposition: form.disposition ?? pass,
    terminator: form.terminator ?? asHeld,
    fail:
      form.fail ??
      ((error, requestId) => encoder.encode(codec.caller.openStreamEncoder(context).fail(error, requestId))),
    ...(form.rewrite ? { rewrite: form.rewrite } : {}),
    ...streamForm(codec.caller),
  });
}

/** The bytes are not changed, so the caller sees the provider's own id, whatever its form. */
function answerIdOf({ codec, context, form }: PassThrough): (id: string | null) => string {
  return form.answerId ?? ((id) => id ?? codec.caller.answerId(id, context));
}

/** The parts of a whole answer that the record needs. Throws an `AnswerFault` if it is none. */
function observeWhole({ provider }: DialectCodec, parsed: unknown, answerId: (id: string | null) => string) {
  if (!provider.observeWhole) return observeResponse(provider.decodeResponse(parsed), answerId);
  const { responseId, usage } = provider.observeWhole(parsed);
  return {
    responseId: answerId(responseId),
    usage,
    producedText: () => observeResponse(provider.decodeResponse(parsed), answerId).producedText(),
  };
}

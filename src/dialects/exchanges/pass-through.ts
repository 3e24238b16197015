import { withoutMembers } from "../../json/without-members.ts";
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
import { type PassThroughForm, PassThroughStream } from "./pass-through-stream.ts";
import { type Ends, openTranslatedCollector, parseBody, writeAsStream } from "./through-neutral.ts";

export type { PassThroughForm } from "./pass-through-stream.ts";

/** One request whose caller and provider speak the same dialect. */
export interface PassThrough {
  readonly codec: DialectCodec;
  readonly request: UpstreamRequest;
  readonly context: AnswerContext;
  readonly form: PassThroughForm;
  /** The paths of the caller's fields that go up otherwise than they were written. */
  readonly warnings?: readonly string[];
}

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
    const { unreadMember } = codec.provider;
    const read = unreadMember === undefined ? body : withoutMembers(body, unreadMember);
    const observation = observeWhole(codec, parseBody(read), answerIdOf(this.#passing));
    return { body: form.rewriteWhole?.(body) ?? body, observation };
  }

  openStream(): AnswerStream {
    return new PassThroughStream(this.#passing, answerIdOf(this.#passing));
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

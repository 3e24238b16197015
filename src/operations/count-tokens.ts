import type { RequestHeaders } from "../http/headers.ts";
import type { ReportedUsage } from "../conversation/usage.ts";
import type { ConversationRequest } from "../conversation/request.ts";
import type { DialectCodec, RequestAddress } from "../dialects/codec.ts";
import { AnswerFault, type Observation, type UpstreamRequest } from "../dialects/exchange.ts";
import { readCount } from "../dialects/fields/read-count.ts";
import { readModelName } from "../dialects/fields/model-name.ts";
import { parseBody } from "../dialects/exchanges/through-neutral.ts";
import { wholeOnly } from "../dialects/exchanges/whole-only.ts";
import { readJsonObject } from "../json/read-object.ts";
import { mayNameFile } from "../files/file-id.ts";
import { type Member, scanTopLevel } from "../json/top-level.ts";
import { isObject, type JsonObject } from "../json/values.ts";
import { estimateContent } from "../metering/estimate.ts";
import { noUsageExpected } from "../metering/expected-usage.ts";
import { conversationContent } from "../metering/prompt-content.ts";
import type { Target } from "../routing/names/model.ts";
import { jsonText } from "./conversation.ts";
import type { FileForm } from "./files/file-form.ts";
import { inlineFiles } from "./files/inline-files.ts";
import type { Operation, OperationInput, ReadContext } from "./operation.ts";

/** A conversation whose tokens a caller wants to know before it is sent. */
export interface CountInput extends OperationInput {
  /** The body as the caller wrote it. */
  readonly text: string;
  /** The position in the text of the value of `model`. */
  readonly members: readonly Member[];
  readonly body: JsonObject;
  readonly headers: RequestHeaders;
  readonly conversation: ConversationRequest;
}

/** The request and the answer of one vendor's token count. */
export interface CountDialect extends Pick<Operation<CountInput>, "endpoint" | "paths" | "keyHeader" | "errorFormat"> {
  readonly codec: DialectCodec;
  /** How its requests name files of the gateway's. */
  readonly files?: FileForm;
  /** The body as one that asks for an answer. Throws a 400 if it is none. */
  readonly conversationBody: (body: JsonObject, context: ReadContext) => JsonObject | Promise<JsonObject>;
  /** The fields in the URL rather than in the body. */
  readonly address?: (context: ReadContext) => RequestAddress;
  /** The request as it goes up to a provider of the same dialect; null if that provider could not understand it. */
  readonly upstream: (input: CountInput, target: Target) => UpstreamRequest | null;
  /** The member of the vendor's answer that has the count. */
  readonly count: (answer: JsonObject) => unknown;
  readonly writeCount: (tokens: number) => JsonObject;
}

/**
 * An operation that counts the tokens of a conversation, for nothing: by the provider's own count if it speaks the
 * caller's dialect, else by an estimate. A provider that cannot count is no fault of the caller's.
 */
export function countTokensOperation(own: CountDialect): Operation<CountInput> {
  const { caller, provider, name } = own.codec;
  return {
    endpoint: own.endpoint,
    paths: own.paths,
    method: "POST",
    body: "json",
    keyHeader: own.keyHeader,
    errorFormat: own.errorFormat,
    isFree: true,
    async read(requestBody, context) {
      const { text, body, members } = await readBody(own, jsonText(requestBody), context);
      const conversation = caller.decodeRequest(await own.conversationBody(body, context), own.address?.(context));
      const model = readModelName(conversation.model);
      return { model, stream: false, text, members, body, headers: context.headers, conversation };
    },
    attribution: ({ body }) => caller.attribution?.(body) ?? null,
    expectedUsage: () => noUsageExpected,
    // A count may be asked for whatever does not fit.
    size: () => 0,
    estimateInput: async () => 0,
    exchange(input, target) {
      const request = target.provider.dialects.includes(name) ? own.upstream(input, target) : null;
      if (request === null) return null;
      return wholeOnly({
        request,
        warnings: [],
        readError: (body) => provider.decodeError(body),
        readWhole(body) {
          const answer = parseBody(body);
          if (!isObject(answer) || readCount(own.count(answer)) === null) {
            throw new AnswerFault("The provider's answer is not a count of tokens.");
          }
          return { body, observation: nothingConsumed(answer) };
        },
      });
    },
    async answerAlone({ conversation }) {
      const tokens = await estimateContent(conversationContent(conversation));
      return { body: JSON.stringify(own.writeCount(tokens)), observation: nothingConsumed({}) };
    },
  };
}

const changeable: ReadonlySet<string> = new Set(["model"]);

/** The body with the caller's files in place of their ids. */
async function readBody({ files }: CountDialect, text: string, context: ReadContext) {
  const { body, members } = readJsonObject(text, changeable);
  if (files === undefined || !mayNameFile(text)) return { text, body, members };
  const whole = await inlineFiles({ text, body }, files, context);
  return { ...whole, members: scanTopLevel(whole.text, changeable).members };
}

/** Counting tokens consumes none. The provider's figure is kept nevertheless. */
function nothingConsumed(raw: JsonObject): Observation {
  const quantities = { input: 0, output: 0 };
  const usage: ReportedUsage = { quantities, input: "final", output: "final", reasoning: null, raw };
  return { responseId: null, usage, producedText: () => "" };
}

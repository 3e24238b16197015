import { omitHostedTools } from "../../conversation/fields/hosted-tools.ts";
import type { ConversationRequest } from "../../conversation/request.ts";
import { withUniqueCallIds } from "../../conversation/unique-call-ids.ts";
import { reviewRequest } from "../../conversation/fields/support.ts";
import { unsupportedParameter } from "../../errors.ts";
import { parseExactlyInSteps } from "../../json/exact-numbers.ts";
import { stringifyInSteps } from "../../json/stringify-in-steps.ts";
import { nextTurn } from "../../next-turn.ts";
import type { AnswerContext, CallerCodec, DialectCodec, EncodeTarget } from "../codec.ts";
import type { Exchange } from "../exchange.ts";
import { observeResponse } from "./observe-events.ts";
import { withinLimit } from "../fields/output-limit.ts";
import {
  openTranslatedCollector,
  openTranslatedStream,
  parseLargeBody,
  readResponse,
  writeAsStream,
} from "./through-neutral.ts";

/** One request that speaks one dialect, on its way to a provider that speaks another. */
export interface Translation {
  readonly caller: CallerCodec;
  readonly provider: DialectCodec;
  readonly request: ConversationRequest;
  readonly context: AnswerContext;
  readonly target: EncodeTarget;
}

/** Carries a request across. Throws a 400 that names the caller's field if the provider has nothing to do it with. */
export function translate(translation: Translation): Exchange {
  return { ...putRequest(translation), ...readAnswer(translation) };
}

/** The half of an exchange that goes up: the same for all ways of reading the answer. */
export type PutRequest = Pick<Exchange, "request" | "warnings" | "readError">;

/** Carries a request across, whose answer is read by others. Throws a 400 as `translate` does. */
export function putRequest(translation: Omit<Translation, "caller" | "context">): PutRequest {
  const { encoded, put } = carry(translation);
  return put(JSON.stringify(encoded));
}

/** The same for a large request, which is written in steps. */
export async function translateLarge(translation: Translation): Promise<Exchange> {
  const { encoded, put } = carry(translation);
  await nextTurn();
  return { ...put(await stringifyInSteps(encoded)), ...readAnswer(translation) };
}

/** The body that goes up, and what makes the request of its text. */
function carry(translation: Omit<Translation, "caller" | "context">) {
  const { provider, target } = translation;
  const column = provider.provider.support(target.model);
  const tools = omitHostedTools(translation.request, column, target.hostedTools ?? "omit");
  if (tools.refusal) throw unsupportedParameter(tools.refusal.path, tools.refusal.why);
  const { request, lowered } = withinLimit(tools.request, target);
  const review = reviewRequest(request, column);
  if (review.refusal) throw unsupportedParameter(review.refusal.path, review.refusal.why);
  const encoded = provider.provider.encodeRequest(request, target);
  const put = (body: string): PutRequest => ({
    request: {
      dialect: provider.name,
      method: "POST",
      path: encoded.path,
      headers: { "content-type": "application/json", ...encoded.headers },
      body,
    },
    warnings: [...new Set([...review.warnings, ...tools.omitted, ...lowered, ...encoded.warnings])],
    readError: (body) => provider.provider.decodeError(body),
  });
  return { encoded: encoded.body, put };
}

/** The answer of the provider in the caller's dialect. */
function readAnswer({ caller, provider, context }: Translation): Omit<Exchange, keyof PutRequest> {
  const ends = { caller, provider: provider.provider, context };
  return {
    readWhole(body) {
      const response = readResponse(ends.provider, body);
      return {
        body: JSON.stringify(caller.encodeResponse(response, context)),
        observation: observeResponse(response, (id) => caller.answerId(id, context)),
      };
    },
    async readLarge(body) {
      const response = withUniqueCallIds(ends.provider.decodeResponse(await parseLargeBody(body, parseExactlyInSteps)));
      await nextTurn();
      const encoded = caller.encodeResponse(response, context);
      await nextTurn();
      return {
        body: JSON.stringify(encoded),
        observation: observeResponse(response, (id) => caller.answerId(id, context)),
      };
    },
    openStream: () => openTranslatedStream(ends),
    wholeAsStream: (body) => writeAsStream(ends, body),
    openCollector: () => openTranslatedCollector(ends),
  };
}

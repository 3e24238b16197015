import { toGatewayError } from "../errors.ts";
import type { CallerVoice } from "./endpoint.ts";
import type { Journey } from "./journey.ts";
import { answerHeaders, errorResponse } from "./respond.ts";
import type { Services } from "./services.ts";
import type { Outcome } from "./outcome.ts";
import { settle } from "./settle.ts";

/** nginx's word for "the caller closed the connection before there was an answer". Nobody receives it. */
const callerLeftStatus = 499;

/**
 * Answers a request that failed before its first byte, and settles it: `refused` where no provider was called, `failed`
 * where one was, `cancelled` where the caller left. No record is kept where the key is bad or a rate limit was reached.
 */
export async function refuse(
  services: Services,
  journey: Journey,
  voice: CallerVoice,
  thrown: unknown,
  estimateInput: () => Promise<number>,
): Promise<Response> {
  const error = toGatewayError(thrown);
  const left = journey.callerLeft.aborted;
  const outcome: Outcome = left
    ? { status: "cancelled", statusCode: callerLeftStatus, error: null, observation: null, estimateInput }
    : {
        status: journey.attempts.length > 0 ? "failed" : "refused",
        statusCode: error.status,
        error,
        observation: null,
        estimateInput,
      };
  try {
    await settle(services, journey, outcome);
  } catch {
    // The log has said that a record is missing; the caller is told the error that came first.
  }
  return errorResponse(error, voice.errorBody(error, journey.id), answerHeaders(services, journey, voice, []));
}

import { type GatewayError, toGatewayError } from "../errors.ts";
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
  const headers = answerHeaders(services, journey, voice, []);
  if (isTriedOut(error, journey)) headers["x-should-retry"] = "false";
  return errorResponse(error, voice.errorBody(error, journey.id), headers);
}

/** The gateway has tried again already: an SDK that tries the whole of it once more would only multiply the load. */
function isTriedOut({ type }: GatewayError, { attempts }: Journey): boolean {
  return attempts.length > 1 && (type === "upstream_error" || type === "upstream_timeout");
}

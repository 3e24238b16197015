import type { GatewayError } from "../errors.ts";
import type { Journey } from "./journey.ts";

/** Headers of every answer on a billable path. `x-request-id` is where SDKs look for the id to show. */
export function answerHeaders(journey: Journey, warnings: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {
    "x-service-request-id": journey.id,
    "x-request-id": journey.id,
    ...journey.admission?.headers(),
  };
  if (warnings.length > 0) headers["x-service-warnings"] = warnings.join(", ");
  return headers;
}

/** Headers that an error's kind calls for. */
export function errorHeaders(error: GatewayError): Record<string, string> {
  const headers: Record<string, string> = {};
  if (error.retryAfterSeconds !== null) headers["retry-after"] = String(error.retryAfterSeconds);
  if (error.allow !== null) headers.allow = error.allow;
  // The gateway has tried what could be tried: an SDK that retries a refusal at once would only double the load.
  if (error.type === "upstream_error" || error.type === "upstream_timeout") headers["x-should-retry"] = "false";
  return headers;
}

/** An error as a response, in the envelope that was made for it. */
export function errorResponse(
  error: GatewayError,
  body: object,
  headers: Readonly<Record<string, string>>,
): Response {
  return Response.json(body, { status: error.status, headers: { ...headers, ...errorHeaders(error) } });
}

import type { GatewayError } from "../errors.ts";
import { type Answer, jsonAnswer } from "./answer.ts";
import type { ErrorFormat } from "../operations/operation.ts";
import type { Progress } from "./finished-request.ts";
import type { Services } from "./services.ts";

/** The request id, also in the header in which the vendor's SDKs look for the one to show. */
export function idHeaders(requestId: string, { idHeader }: ErrorFormat): Record<string, string> {
  return { "x-service-request-id": requestId, [idHeader]: requestId };
}

/** Headers of every answer on a billable path. @param requestId another request's, if its answer is repeated */
export function answerHeaders(
  { limits }: Services,
  { context, operation, identity, admission, funding, attempts }: Progress,
  warnings: readonly string[],
  requestId = context.id,
): Record<string, string> {
  const headers = idHeaders(requestId, operation.errorFormat);
  headers["x-service-attempts"] = String(attempts.length);
  // A caller that a limit turned away was not admitted, and needs to know its limits most.
  if (identity !== null) Object.assign(headers, admission === null ? limits.headers(identity) : admission.headers());
  const maxOutputTokens = funding?.maxOutputTokens ?? null;
  if (maxOutputTokens !== null) headers["x-service-max-tokens"] = String(maxOutputTokens);
  const exceedsBudget = funding?.exceedsBudget === true;
  if (exceedsBudget) headers["x-service-warnings"] = warningsHeader([...warnings, "budget"]);
  else if (warnings.length > 0) headers["x-service-warnings"] = warningsHeader(warnings);
  if (context.pageHeaders !== null) Object.assign(headers, context.pageHeaders);
  return headers;
}

/** A header much longer than this makes proxies refuse the whole answer. */
const maxWarningsLength = 4_000;

/** Paths as a header can hold them: they may repeat a caller's own field names, of any length and script. */
export function warningsHeader(paths: readonly string[]): string {
  let list = "";
  for (const path of paths) {
    const clean = path.slice(0, 200).replace(/[^\x21-\x7e]|,/g, "?");
    if (list.length + clean.length > maxWarningsLength) return `${list}, ...`;
    list += list === "" ? clean : `, ${clean}`;
  }
  return list;
}

/** Statuses that stay the same however often the request is repeated. */
const finalStatuses: ReadonlySet<number> = new Set([400, 401, 402, 403, 404, 413, 415, 422]);

/**
 * Headers that an error's kind calls for. `x-should-retry: false` keeps the vendors' SDKs from repeating a request.
 * @param wasRepeated the gateway has asked providers more than once already, or its caller gave it no more time
 */
export function errorHeaders(error: GatewayError, wasRepeated = false): Record<string, string> {
  const headers: Record<string, string> = {};
  if (error.retryAfterSeconds !== null) headers["retry-after"] = String(error.retryAfterSeconds);
  if (error.allow !== null) headers.allow = error.allow;
  if (error.contentRange !== null) headers["content-range"] = error.contentRange;
  // An SDK would multiply the attempts of the gateway. If there was but one, its repetition is better than none.
  const isProviders = error.type === "upstream_error" || error.type === "upstream_timeout";
  // SDKs repeat a 409 as well, which makes sense only if something is still running.
  const isLasting = error.type === "conflict_error" && error.retryAfterSeconds === null;
  if (finalStatuses.has(error.status) || (isProviders && wasRepeated) || isLasting) headers["x-should-retry"] = "false";
  return headers;
}

/** An error as an answer, in the envelope that was made for it. */
export function errorAnswer(
  error: GatewayError,
  body: object,
  headers: Readonly<Record<string, string>>,
  wasRepeated = false,
): Answer {
  return jsonAnswer(body, error.status, { ...headers, ...errorHeaders(error, wasRepeated) });
}

/** The answer to a request on a billable path that has failed. */
export function failureAnswer(services: Services, progress: Progress, error: GatewayError): Answer {
  const { context, operation, attempts } = progress;
  const body = operation.errorFormat.errorBody(error, context.id);
  const wasRepeated = attempts.length > 1 || context.isCancelled;
  const headers = answerHeaders(services, progress, []);
  if (!operation.isFree) headers["x-service-amount-microusd"] = "0";
  return errorAnswer(error, body, headers, wasRepeated);
}

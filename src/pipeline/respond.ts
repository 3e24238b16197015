import type { GatewayError } from "../errors.ts";
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
  { context, operation, identity, admission, attempts }: Progress,
  warnings: readonly string[],
  requestId = context.id,
): Record<string, string> {
  const headers = idHeaders(requestId, operation.errorFormat);
  headers["x-service-attempts"] = String(attempts.length);
  // A caller that a limit turned away was not admitted, and needs to know its limits most.
  if (identity !== null) Object.assign(headers, admission === null ? limits.headers(identity) : admission.headers());
  if (warnings.length > 0) headers["x-service-warnings"] = warningsHeader(warnings);
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

/** Headers that an error's kind calls for. */
export function errorHeaders(error: GatewayError): Record<string, string> {
  const headers: Record<string, string> = {};
  if (error.retryAfterSeconds !== null) headers["retry-after"] = String(error.retryAfterSeconds);
  if (error.allow !== null) headers.allow = error.allow;
  // How often a provider is tried is the operator's to say: an SDK that tries again by itself would multiply it.
  const isProviders = error.type === "upstream_error" || error.type === "upstream_timeout";
  // SDKs repeat a 409 as well, which makes sense only if something is still running.
  const isLasting = error.type === "conflict_error" && error.retryAfterSeconds === null;
  if (isProviders || isLasting) headers["x-should-retry"] = "false";
  return headers;
}

/** An error as a response, in the envelope that was made for it. */
export function errorResponse(error: GatewayError, body: object, headers: Readonly<Record<string, string>>): Response {
  return Response.json(body, { status: error.status, headers: { ...headers, ...errorHeaders(error) } });
}

/** The answer to a request on a billable path that has failed. */
export function errorAnswer(services: Services, progress: Progress, error: GatewayError): Response {
  const body = progress.operation.errorFormat.errorBody(error, progress.context.id);
  return errorResponse(error, body, answerHeaders(services, progress, []));
}

import { hasSessionCookie } from "../console/session-cookie.ts";
import { GatewayError, toGatewayError } from "../errors.ts";
import { newRequestId } from "../identifiers.ts";
import type { ErrorFormat, Operation, OperationInput } from "../operations/operation.ts";
import { type Answer, sendAnswer } from "../pipeline/answer.ts";
import { errorAnswer, idHeaders } from "../pipeline/respond.ts";
import { serve } from "../pipeline/serve.ts";
import type { Services } from "../pipeline/services.ts";
import type { ServerExchange } from "../server/exchange.ts";
import { errorFormatAt } from "./caller-dialect.ts";
import { consoleHeaders } from "./console/headers.ts";
import { pageHeaders, preflight } from "./cors.ts";
import { isUnlogged, logVisit } from "./log-visit.ts";
import { createPathTable, type Found, type PathTable } from "./path-table.ts";
import type { PathEntry } from "./path-entry.ts";
import { unescapePath } from "./path-pattern.ts";
import type { Method } from "./visit.ts";
import { unknownPath } from "./unknown-path.ts";

/** Answers a request on any public path. */
export type App = (exchange: ServerExchange) => void;

/** A path knows its methods; everything else is a 404 or a 405 in the path's own error format. */
export function createApp(services: Services): App {
  const table = createPathTable(services.dialects);
  return (exchange) => {
    const path = pathOf(exchange.target);
    const found = table.find(unescapePath(path));
    const operation = found && operationFor(found, exchange.method);
    const page = pageHeaders(services.corsOrigins, exchange.headers);
    const answering = operation
      ? serve(services, operation, path, exchange, page)
      : answerOwn(services, table, exchange, path, found).then((answer) =>
          forPage(forBrowser(services, answer, exchange.headers, found), page),
        );
    const failed = (error: unknown) => {
      services.log.error({ path, stack: stackOf(error) }, "request failed");
      exchange.destroy();
    };
    answering.then((answer) => (answer === null ? undefined : sendAnswer(exchange, answer))).catch(failed);
  };
}

/** Pages of allowed origins may read an answer. */
function forPage(answer: Answer, page: ReturnType<typeof pageHeaders>): Answer {
  if (page === null) return answer;
  const { vary } = answer.headers;
  Object.assign(answer.headers, page);
  if (vary !== undefined && page.vary !== undefined) answer.headers.vary = `${vary}, ${page.vary}`;
  return answer;
}

/** For a year. */
const httpsAlone = { "strict-transport-security": "max-age=31536000" };

/** Errors of the console are guarded as its pages are, and browsers store nothing that a session has read. */
function forBrowser(
  { console }: Services,
  answer: Answer,
  headers: ServerExchange["headers"],
  found: Found | null,
): Answer {
  const isConsole = found !== null && /^\/console(\/|$)/.test(found.entry.path);
  if (!isConsole && !hasSessionCookie(headers.get("cookie"))) return answer;
  const transport = isConsole && console?.settings.publicUrl?.startsWith("https:") === true ? httpsAlone : {};
  const guards = isConsole ? { ...consoleHeaders, ...transport } : { "x-content-type-options": "nosniff" };
  return { ...answer, headers: { "cache-control": "no-store", ...guards, ...answer.headers } };
}

function operationFor({ entry }: Found, method: string): Operation<OperationInput> | undefined {
  return method === "POST" || method === "GET" || method === "DELETE" ? entry.operations[method] : undefined;
}

/** Answers on a path of the gateway's own, or reports what is wrong with the request. */
async function answerOwn(
  services: Services,
  table: PathTable,
  request: ServerExchange,
  path: string,
  found: Found | null,
): Promise<Answer> {
  const format = errorFormatAt(services.dialects, path, request.headers);
  const requestId = newRequestId(services.clock.now());
  const startedTick = services.steady.now();
  try {
    if (!found) throw unknownPath(table, request, path);
    const { entry, parameters } = found;
    const methods = methodsOf(entry);
    const method = request.method === "HEAD" ? "GET" : request.method;
    const handler = isMethod(method) ? entry.handlers[method] : undefined;
    if (!handler && method !== "OPTIONS") throw wrongMethod(request, methods);
    const answer = handler
      ? await handler({ services, request, path, id: parameters.id ?? "" })
      : preflight(request.headers, methods);
    if (!isUnlogged(path)) logVisit(services, { request, path, requestId, startedTick }, answer.status, null);
    return identified(answer, requestId, format);
  } catch (thrown) {
    const error = toGatewayError(thrown);
    if (error.type === "server_error") {
      services.log.error({ request_id: requestId, path, stack: stackOf(thrown) }, "request failed");
    }
    logVisit(services, { request, path, requestId, startedTick }, error.status, error);
    return errorAnswer(error, format.errorBody(error, requestId), idHeaders(requestId, format));
  }
}

/** 405; or 426 for a WebSocket, at which clients go on without one. */
function wrongMethod({ method, headers }: ServerExchange, methods: string): GatewayError {
  if (headers.get("upgrade")?.toLowerCase() === "websocket") {
    const message = `This path has no WebSocket. Send an HTTP request: ${methods}.`;
    return GatewayError.of("websocket_unsupported", message);
  }
  return GatewayError.of("method_not_allowed", `${method} is not allowed on this path. Use ${methods}.`, {
    allow: methods,
  });
}

function isMethod(method: string): method is Method {
  return (["GET", "POST", "PUT", "PATCH", "DELETE"] as const).some((known) => known === method);
}

function methodsOf({ handlers, operations }: PathEntry): string {
  const has = (method: Method) => handlers[method] !== undefined || operations[method] !== undefined;
  const reading = has("GET") ? ["GET", "HEAD"] : [];
  const writing = (["POST", "PUT", "PATCH", "DELETE"] as const).filter(has);
  return [...reading, ...writing, "OPTIONS"].join(", ");
}

/** The path of a target as it was written, without the query and a slash at its end. */
function pathOf(target: string): string {
  const query = target.indexOf("?");
  let end = query < 0 ? target.length : query;
  while (end > 1 && target[end - 1] === "/") end--;
  return target.slice(0, end);
}

/** Every answer has a request id, also if no request was billed. */
function identified(answer: Answer, requestId: string, format: ErrorFormat): Answer {
  return { ...answer, headers: { ...answer.headers, ...idHeaders(requestId, format) } };
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

import { GatewayError, toGatewayError } from "../errors.ts";
import { newRequestId } from "../identifiers.ts";
import type { ErrorFormat, Operation, OperationInput } from "../operations/operation.ts";
import type { Connection } from "../pipeline/request-context.ts";
import { errorResponse, idHeaders } from "../pipeline/respond.ts";
import { serve } from "../pipeline/serve.ts";
import type { Services } from "../pipeline/services.ts";
import { errorFormatAt } from "./caller-dialect.ts";
import { allowOrigin, preflight } from "./cors.ts";
import { isUnlogged, logVisit } from "./log-visit.ts";
import { createPathTable, type Found, type Method, type PathEntry, type PathTable } from "./path-table.ts";
import { unescapePath } from "./path-pattern.ts";
import { unknownPath } from "./unknown-path.ts";

type Server = Connection["server"];
type Answerer = (request: Request, server: Server) => Response | Promise<Response>;

/** All public paths, as the server takes them. */
export interface App {
  readonly fetch: Answerer;
  /**
   * The operations whose path has no placeholder, once more: the server finds these by itself, at a fraction of the cost.
   * Any other method or path comes to `fetch`.
   */
  readonly routes: Readonly<Record<string, { readonly POST: Answerer }>>;
}

/** A path knows its methods; everything else is a 404 or a 405 in the path's own error format. */
export function createApp(services: Services): App {
  const table = createPathTable(services.dialects);
  const routes: Record<string, { POST: Answerer }> = {};
  for (const { path, operations } of table.entries) {
    const operation = operations.POST;
    if (!operation || path.includes("{")) continue;
    routes[path] = { POST: (request, server) => runOperation(services, operation, path, { request, server }) };
  }
  return {
    routes,
    fetch(request, server) {
      const path = pathOf(request.url);
      const found = table.find(unescapePath(path));
      const operation = found && operationFor(found, request.method);
      if (operation) return runOperation(services, operation, path, { request, server });
      return answerOwn(services, table, request, path, found).then((response) => opened(services, request, response));
    },
  };
}

/** Runs an operation. Pages of allowed origins may read its answer. */
function runOperation(
  services: Services,
  operation: Operation<OperationInput>,
  path: string,
  connection: Connection,
): Promise<Response> {
  const answer = serve(services, operation, path, connection);
  return connection.request.headers.has("origin")
    ? answer.then((response) => opened(services, connection.request, response))
    : answer;
}

function opened({ corsOrigins }: Services, request: Request, response: Response): Response {
  return allowOrigin(corsOrigins, request, response);
}

function operationFor({ entry }: Found, method: string): Operation<OperationInput> | undefined {
  return method === "POST" || method === "GET" || method === "DELETE" ? entry.operations[method] : undefined;
}

/** Answers on a path of the gateway's own, or reports what is wrong with the request. */
async function answerOwn(
  services: Services,
  table: PathTable,
  request: Request,
  path: string,
  found: Found | null,
): Promise<Response> {
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
    const response = handler
      ? await handler({ services, request, path, id: parameters.id ?? "" })
      : preflight(request, methods);
    if (!isUnlogged(path)) logVisit(services, { request, path, requestId, startedTick }, response.status, null);
    return identified(response, requestId, format);
  } catch (thrown) {
    const error = toGatewayError(thrown);
    if (error.type === "server_error") {
      services.log.error({ request_id: requestId, path, stack: stackOf(thrown) }, "request failed");
    }
    logVisit(services, { request, path, requestId, startedTick }, error.status, error);
    return errorResponse(error, format.errorBody(error, requestId), idHeaders(requestId, format));
  }
}

/** 405; or 426 for a WebSocket, at which clients go on without one. */
function wrongMethod({ method, headers }: Request, methods: string): GatewayError {
  if (headers.get("upgrade")?.toLowerCase() === "websocket") {
    const message = `This path has no WebSocket. Send an HTTP request: ${methods}.`;
    return GatewayError.of("websocket_unsupported", message);
  }
  return GatewayError.of("method_not_allowed", `${method} is not allowed on this path. Use ${methods}.`, {
    allow: methods,
  });
}

function isMethod(method: string): method is Method {
  return method === "GET" || method === "POST" || method === "PUT" || method === "DELETE";
}

function methodsOf({ handlers, operations }: PathEntry): string {
  const has = (method: Method) => handlers[method] !== undefined || operations[method] !== undefined;
  const reading = has("GET") ? ["GET", "HEAD"] : [];
  const writing = (["POST", "PUT", "DELETE"] as const).filter(has);
  return [...reading, ...writing, "OPTIONS"].join(", ");
}

/** The path of a URL as it was written, without the query and a slash at its end. */
function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  if (start < 0) return "/";
  const query = url.indexOf("?", start);
  let end = query < 0 ? url.length : query;
  while (end > start + 1 && url[end - 1] === "/") end--;
  return url.slice(start, end);
}

/** Every response has a request id, also if no request was billed. */
function identified(response: Response, requestId: string, format: ErrorFormat): Response {
  const headers = idHeaders(requestId, format);
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

import { GatewayError, notFound, toGatewayError } from "../errors.ts";
import { newRequestId } from "../identifiers.ts";
import type { ErrorFormat, Operation, OperationInput } from "../operations/operation.ts";
import type { Connection } from "../pipeline/request-context.ts";
import { errorResponse, idHeaders } from "../pipeline/respond.ts";
import { serve } from "../pipeline/serve.ts";
import type { Services } from "../pipeline/services.ts";
import { allowOrigin, preflight } from "./cors.ts";
import { createPathTable, errorFormatAt, type Found, type Method, type PathEntry } from "./path-table.ts";
import { unescapePath } from "./path-pattern.ts";

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
      return answerOwn(services, request, path, found).then((response) => opened(services, request, response));
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

/** Answers on a path of the gateway's own, or says what is wrong with the request. */
async function answerOwn(services: Services, request: Request, path: string, found: Found | null): Promise<Response> {
  const format = errorFormatAt(path, request.headers);
  try {
    if (!found) throw notFound("unknown_path", `Unknown path ${request.method} ${path}.`);
    const { entry, parameters } = found;
    const methods = methodsOf(entry);
    if (request.method === "OPTIONS") return identified(preflight(request, methods), format);
    const method = request.method === "HEAD" ? "GET" : request.method;
    const handler = isMethod(method) ? entry.handlers[method] : undefined;
    if (!handler) {
      const message = `${request.method} is not allowed on this path. Use ${methods}.`;
      throw GatewayError.of("method_not_allowed", message, { allow: methods });
    }
    return identified(await handler({ services, request, path, id: parameters.id ?? "" }), format);
  } catch (thrown) {
    const error = toGatewayError(thrown);
    if (error.type === "server_error") services.log.error({ path, stack: stackOf(thrown) }, "request failed");
    const requestId = newRequestId(services.clock.now());
    return errorResponse(error, format.errorBody(error, requestId), idHeaders(requestId, format));
  }
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

/** The path of a URL as it was written, without the query. */
function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const end = url.indexOf("?", start);
  return start < 0 ? "/" : url.slice(start, end < 0 ? undefined : end);
}

/** Every response has a request id, also if no request was billed. */
function identified(response: Response, format: ErrorFormat): Response {
  const headers = idHeaders(newRequestId(Date.now()), format);
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

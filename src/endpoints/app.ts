import { type Context, Hono } from "hono";
import { GatewayError, notFound, toGatewayError } from "../errors.ts";
import { newRequestId } from "../identifiers.ts";
import type { CallerVoice } from "../pipeline/endpoint.ts";
import { errorResponse, idHeaders } from "../pipeline/respond.ts";
import type { Services } from "../pipeline/services.ts";
import { allowOrigin, preflight } from "./cors.ts";
import { type PathEntry, pathTable, voiceOf } from "./path-table.ts";
import type { Handler, Visit } from "./visit.ts";

/** What the server does for a request beside carrying it. */
interface Server {
  timeout(request: Request, seconds: number): void;
}

type Answerer = (request: Request, server: Server) => Response | Promise<Response>;

/** All public paths, as the server takes them. */
export interface App {
  readonly fetch: Answerer;
  /** The billable paths without a parameter once more: the server finds these by itself, at a fraction of the cost. */
  readonly routes: Readonly<Record<string, { readonly POST: Answerer }>>;
}

interface AppEnvironment {
  readonly Bindings: { readonly server: Server };
}

/** After a request the server closes a connection that is silent, or whose caller takes nothing, for so long. */
const idleSeconds = 10;

/** A path knows its methods; everything else is a 404 or a 405 in the path's own envelope. */
export function createApp(services: Services): App {
  const app = new Hono<AppEnvironment>();
  const routes: Record<string, { POST: Answerer }> = {};
  const open = (request: Request, response: Response) => allowOrigin(services.corsOrigins, request, response);
  const fail = (request: Request, voice: CallerVoice, error: GatewayError) => open(request, failed(error, voice));
  const failUnforeseen = (request: Request, path: string, thrown: unknown) => {
    const error = toGatewayError(thrown);
    if (error.type === "server_error") services.log.error({ path, stack: stackOf(thrown) }, "request failed");
    return fail(request, voiceOf(path, request.headers), error);
  };

  for (const entry of pathTable) {
    const { path, voice, get, post, ask, put, delete: remove } = entry;
    const methods = methodsOf(entry);
    const free = (handler: Handler) => async (context: Context<AppEnvironment>) => {
      const { raw, path: asked } = context.req;
      return open(raw, identified(await handler(visitOf(services, context)), voiceOf(asked, raw.headers)));
    };
    if (get) app.get(path, free(get));
    if (ask) app.post(path, free(ask));
    if (put) app.put(path, free(put));
    if (remove) app.delete(path, free(remove));
    if (post) {
      const answer = async (visit: Visit) => {
        try {
          return open(visit.request, await post(visit));
        } catch (error) {
          // A path that fails before the request's own way began has settled nothing.
          visit.settled();
          return failUnforeseen(visit.request, visit.path, error);
        }
      };
      app.post(path, ({ req, env }) => answer(billableVisit(services, req.raw, env.server, req.path, req.param("id"))));
      if (!path.includes(":")) {
        routes[path] = { POST: (request, server) => answer(billableVisit(services, request, server, path)) };
      }
    }
    app.options(path, ({ req }) => open(req.raw, identified(preflight(req.raw, methods), voice)));
    app.all(path, ({ req }) => {
      const details = { status: 405, code: "method_not_allowed", allow: methods };
      const message = `${req.method} is not allowed here. Use ${methods}.`;
      return fail(req.raw, voice, new GatewayError("invalid_request_error", message, details));
    });
  }
  app.notFound(({ req }) =>
    fail(
      req.raw,
      voiceOf(req.path, req.raw.headers),
      notFound("unknown_path", `There is nothing at ${req.method} ${req.path}.`),
    ),
  );
  app.onError((error, { req }) => failUnforeseen(req.raw, req.path, error));
  return { fetch: (request, server) => app.fetch(request, { server }), routes };
}

function methodsOf({ get, post, ask, put, delete: remove }: PathEntry): string {
  const reading = get ? ["GET", "HEAD"] : [];
  const writing = [...(post || ask ? ["POST"] : []), ...(put ? ["PUT"] : []), ...(remove ? ["DELETE"] : [])];
  return [...reading, ...writing, "OPTIONS"].join(", ");
}

function visitOf(services: Services, { req }: Context<AppEnvironment>): Visit {
  return { services, request: req.raw, path: req.path, id: req.param("id") ?? "", settled: () => {} };
}

/** A billable path has limits of its own for slow bodies and silent providers, and says so where they pass. */
function billableVisit(services: Services, request: Request, server: Server, path: string, id = ""): Visit {
  server.timeout(request, 0);
  return { services, request, path, id, settled: () => server.timeout(request, idleSeconds) };
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Every response has a request id, also where no request was billed. */
function identified(response: Response, voice: CallerVoice): Response {
  const headers = idHeaders(newRequestId(Date.now()), voice);
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}

function failed(error: GatewayError, voice: CallerVoice): Response {
  const requestId = newRequestId(Date.now());
  return errorResponse(error, voice.errorBody(error, requestId), idHeaders(requestId, voice));
}

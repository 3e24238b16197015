import { type Context, Hono } from "hono";
import { GatewayError, notFound, toGatewayError } from "../errors.ts";
import { newRequestId } from "../identifiers.ts";
import type { CallerVoice } from "../pipeline/endpoint.ts";
import { errorResponse, idHeaders } from "../pipeline/respond.ts";
import type { Services } from "../pipeline/services.ts";
import { allowOrigin, preflight } from "./cors.ts";
import { type PathEntry, pathTable, voiceOf } from "./path-table.ts";
import type { Visit } from "./visit.ts";

/** What the server hands to every request beside itself. */
export interface AppEnvironment {
  readonly Bindings: { readonly server?: { timeout(request: Request, seconds: number): void } };
}

/** After a request the server closes a connection that is silent, or whose caller takes nothing, for so long. */
const idleSeconds = 10;

/** All public paths. A path knows its methods; everything else is a 404 or a 405 in the path's own envelope. */
export function createApp(services: Services): Hono<AppEnvironment> {
  const app = new Hono<AppEnvironment>();
  const open = (request: Request, response: Response) => allowOrigin(services.corsOrigins, request, response);
  const fail = (request: Request, voice: CallerVoice, error: GatewayError) => open(request, failed(error, voice));

  for (const entry of pathTable) {
    const { path, voice, get, post } = entry;
    const methods = methodsOf(entry);
    if (get) {
      app.get(path, async (context) => open(context.req.raw, identified(await get(visit(services, context)), voice)));
    }
    if (post) app.post(path, async (context) => open(context.req.raw, await post(visit(services, context))));
    app.options(path, ({ req }) => open(req.raw, identified(preflight(req.raw, methods), voice)));
    app.all(path, ({ req }) => {
      const details = { status: 405, code: "method_not_allowed", allow: methods };
      const message = `${req.method} is not allowed here. Use ${methods}.`;
      return fail(req.raw, voice, new GatewayError("invalid_request_error", message, details));
    });
  }
  app.notFound(({ req }) =>
    fail(req.raw, voiceOf(req.path), notFound("unknown_path", `There is nothing at ${req.method} ${req.path}.`)),
  );
  app.onError((error, { req, env }) => {
    // A path that fails before the request's own way began has settled nothing.
    env.server?.timeout(req.raw, idleSeconds);
    const known = toGatewayError(error);
    if (known.type === "server_error") services.log.error({ path: req.path, stack: error.stack }, "request failed");
    return fail(req.raw, voiceOf(req.path), known);
  });
  return app;
}

function methodsOf({ get, post }: PathEntry): string {
  return [...(get ? ["GET", "HEAD"] : []), ...(post ? ["POST"] : []), "OPTIONS"].join(", ");
}

function visit(services: Services, { req, env }: Context<AppEnvironment>): Visit {
  // A billable path has limits of its own for slow bodies and silent providers, and says so where they pass.
  if (req.method === "POST") env.server?.timeout(req.raw, 0);
  const settled = () => env.server?.timeout(req.raw, idleSeconds);
  return { services, request: req.raw, path: req.path, id: req.param("id") ?? "", settled };
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

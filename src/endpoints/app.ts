import { Hono } from "hono";
import { GatewayError, notFound, toGatewayError } from "../errors.ts";
import { newRequestId } from "../identifiers.ts";
import { call } from "../pipeline/call.ts";
import { errorResponse, idHeaders } from "../pipeline/respond.ts";
import type { Services } from "../pipeline/services.ts";
import { chatCompletions } from "./chat-completions.ts";
import { allowOrigin, preflight } from "./cors.ts";
import { health, readiness } from "./health.ts";
import { listCatalog } from "./models-catalog.ts";
import { listModels, retrieveModel } from "./models.ts";
import { openaiVoice } from "./openai-voice.ts";
import { lookUpRecord } from "./usage-requests.ts";

/** Answers a GET on a path; `rest` is what stands in its place of `:id`. */
type Reader = (services: Services, request: Request, rest: string) => Response | Promise<Response>;

/** What the server hands to every request beside itself. */
export interface AppEnvironment {
  readonly Bindings: { readonly server?: { timeout(request: Request, seconds: number): void } };
}

const billable = [chatCompletions];

/** After a request the server closes a connection that is silent, or whose caller takes nothing, for so long. */
const idleSeconds = 10;

const readers: Readonly<Record<string, Reader>> = {
  "/healthz": health,
  "/readyz": readiness,
  "/v1/models": listModels,
  "/v1/models/:id{.+}": retrieveModel,
  "/api/models/catalog": listCatalog,
  "/api/usage/requests/:id": lookUpRecord,
};

/** All public paths. A path knows its methods; everything else is a 404 or a 405 in the envelope. */
export function createApp(services: Services): Hono<AppEnvironment> {
  const app = new Hono<AppEnvironment>();
  const open = (request: Request, response: Response) => allowOrigin(services.corsOrigins, request, response);
  const fail = (request: Request, error: GatewayError) => open(request, failed(error));
  const closeMethods = (path: string, methods: string) => {
    app.options(path, ({ req }) => open(req.raw, identified(preflight(req.raw, methods))));
    app.all(path, ({ req }) => {
      const details = { status: 405, code: "method_not_allowed", allow: methods };
      const message = `${req.method} is not allowed here. Use ${methods}.`;
      return fail(req.raw, new GatewayError("invalid_request_error", message, details));
    });
  };

  for (const endpoint of billable) {
    app.post(endpoint.path, async ({ req, env }) => {
      // The path has limits of its own for slow bodies and silent providers, and says so where they pass.
      env.server?.timeout(req.raw, 0);
      const settled = () => env.server?.timeout(req.raw, idleSeconds);
      return open(req.raw, await call(services, endpoint, req.raw, settled));
    });
    closeMethods(endpoint.path, "POST, OPTIONS");
  }
  for (const [path, read] of Object.entries(readers)) {
    app.get(path, async (context) => {
      const { raw } = context.req;
      return open(raw, identified(await read(services, raw, context.req.param("id") ?? "")));
    });
    closeMethods(path, "GET, HEAD, OPTIONS");
  }
  app.notFound(({ req }) => fail(req.raw, notFound("unknown_path", `There is nothing at ${req.method} ${req.path}.`)));
  app.onError((error, { req }) => {
    const known = toGatewayError(error);
    if (known.type === "server_error") services.log.error({ path: req.path, stack: error.stack }, "request failed");
    return fail(req.raw, known);
  });
  return app;
}

/** Every response has a request id, also where no request was billed. */
function identified(response: Response): Response {
  for (const [name, value] of Object.entries(idHeaders(newRequestId(Date.now())))) response.headers.set(name, value);
  return response;
}

function failed(error: GatewayError): Response {
  const requestId = newRequestId(Date.now());
  return errorResponse(error, openaiVoice.errorBody(error, requestId), idHeaders(requestId));
}

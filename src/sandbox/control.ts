import { checkScript } from "./script/directives.ts";
import { isObject } from "./json.ts";
import { Refusal } from "./refusal.ts";
import type { RecordedRequest } from "./request-log.ts";
import { resetState, type SandboxState } from "./state.ts";

export const controlPrefix = "/_sandbox/";

const maxModels = 1000;
const maxRefused = 100_000;
const credentialHeaders = new Set(["authorization", "x-api-key", "x-goog-api-key", "cookie"]);

/**
 * The control API, for tests that run the sandbox in another process. Answers are JSON. Throws a Refusal.
 * - `GET requests` lists the requests; with `?idle=true` it first waits until none is open.
 * - `POST reset` clears requests, counts and caches.
 * - `PUT models/{id}` sets the script of a model name.
 * - `POST refuse` takes `{"connections": n}`: the next n connections are closed at once.
 */
export async function control(state: SandboxState, method: string, url: URL, body: string): Promise<unknown> {
  const path = url.pathname.slice(controlPrefix.length);
  if (method === "GET" && path === "requests") {
    if (url.searchParams.get("idle") === "true") await state.log.waitFor(isIdle);
    return { object: "list", data: state.log.requests.map(describe) };
  }
  if (method === "POST" && path === "reset") {
    resetState(state);
    return {};
  }
  if (method === "PUT" && path.startsWith("models/")) {
    return registerModel(state, decodeURIComponent(path.slice("models/".length)), parse(body));
  }
  if (method === "POST" && path === "refuse") return refuseConnections(state, parse(body));
  throw new Refusal(404, `The sandbox has no control '${method} ${controlPrefix}${path.slice(0, 100)}'.`);
}

/** Whether all requests have ended. */
export function isIdle(requests: readonly RecordedRequest[]): boolean {
  return requests.every((request) => request.outcome !== "open");
}

function registerModel(state: SandboxState, id: string, script: unknown): unknown {
  if (state.models.size >= maxModels && !state.models.has(id)) {
    throw new Refusal(400, `No more than ${maxModels} models can be registered.`);
  }
  state.models.set(id, checkScript(script, "script"));
  return { id };
}

function refuseConnections(state: SandboxState, body: unknown): unknown {
  const connections = isObject(body) ? body["connections"] : undefined;
  if (typeof connections !== "number" || !(connections >= 0 && connections <= maxRefused)) {
    throw new Refusal(400, `'connections' must be a number from 0 to ${maxRefused}.`, { param: "connections" });
  }
  state.connectionsToRefuse = Math.floor(connections);
  return { connections: state.connectionsToRefuse };
}

function describe(request: RecordedRequest): unknown {
  const headers = Object.entries(request.headers).map(([name, value]) => [
    name,
    credentialHeaders.has(name) ? `${value.slice(0, 10)}...` : value,
  ]);
  return { ...request, headers: Object.fromEntries(headers), body: new TextDecoder().decode(request.body) };
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new Refusal(400, "The body is not JSON.");
  }
}

import { notFound } from "../../../errors.ts";
import { type Answer, jsonAnswer } from "../../../pipeline/answer.ts";
import type { Services } from "../../../pipeline/services.ts";
import { type BackendTest, testBackend } from "../../../provider-check/test-backend.ts";
import { historyView } from "../../../routing/health/health-summary.ts";
import { healthView } from "../../../routing/health/health-view.ts";
import type { Model } from "../../../routing/names/model.ts";
import { backendView } from "../../../routing/stored-backends/backend-view.ts";
import type { BackendEntry } from "../../../routing/stored-backends/stored-backends.ts";
import { reasonOfFault } from "../../../search/receipt.ts";
import { adminActor, identifyAdmin } from "../../keyed.ts";
import type { Visit } from "../../visit.ts";
import { backendTestInput, backendOrderInput, openInput } from "./backend-schemas.ts";
import { clocksOf, epochOf } from "./health.ts";
import { readInput } from "../input/read-input.ts";

/** `GET /api/admin/search-backends`: those of the configuration, then the stored ones sorted by id. */
export async function listBackends({ services, request }: Visit): Promise<Answer> {
  await identifyAdmin(services, request);
  return jsonAnswer(listOf(services));
}

/** `POST /api/admin/search-backends` */
export async function createBackendByAdmin(visit: Visit): Promise<Answer> {
  const { services, request } = visit;
  const by = await adminActor(services, request);
  const entry = await services.searchBackends.create(await readInput(visit, openInput), by);
  return jsonAnswer(viewOf(services, entry), 201);
}

/** `POST /api/admin/search-backends/order`: sets the priorities of all stored backends. */
export async function orderBackendsByAdmin(visit: Visit): Promise<Answer> {
  const { services, request } = visit;
  const by = await adminActor(services, request);
  const { ids } = await readInput(visit, backendOrderInput);
  await services.searchBackends.order(ids, by);
  return jsonAnswer(listOf(services));
}

/** `GET /api/admin/search-backends/{id}` */
export async function showBackend({ services, request, id }: Visit): Promise<Answer> {
  await identifyAdmin(services, request);
  return jsonAnswer(viewOf(services, find(services, id)));
}

/** `PATCH /api/admin/search-backends/{id}`: changes what is given. */
export async function changeBackendByAdmin(visit: Visit): Promise<Answer> {
  const { services, request, id } = visit;
  const by = await adminActor(services, request);
  const entry = await services.searchBackends.change(id, await readInput(visit, openInput), by);
  return jsonAnswer(viewOf(services, entry));
}

/** `DELETE /api/admin/search-backends/{id}` */
export async function deleteBackend({ services, request, id }: Visit): Promise<Answer> {
  await services.searchBackends.remove(id, await adminActor(services, request));
  return jsonAnswer({ id, object: "search_backend", deleted: true });
}

/** `POST /api/admin/search-backends/{id}/test`: one real search, that is nobody's. */
export async function testBackendByAdmin(visit: Visit): Promise<Answer> {
  const { services, request, id } = visit;
  await identifyAdmin(services, request);
  const { query = null } = await readInput(visit, backendTestInput);
  return jsonAnswer(await test(services, find(services, id), query));
}

async function test(services: Services, entry: BackendEntry, query: string | null): Promise<BackendTest> {
  const { backend, problem, id } = entry;
  if (backend === null || problem !== null) {
    const error = { class: "unhealthy", status: null, message: problem } as const;
    return { id, object: "search_backend.test", ok: false, latency_ms: 0, results: null, error };
  }
  const { callTools: tools, dialects, channels, clock } = services;
  return testBackend(backend, { tools, dialects, channel: channels.of(backend.provider), query, now: clock.now() });
}

function find({ searchBackends }: Services, id: string): BackendEntry {
  const entry = searchBackends.find(id);
  if (entry) return entry;
  throw notFound("backend_not_found", `The search backend '${id.slice(0, 100)}' does not exist.`, "id");
}

function listOf(services: Services) {
  return { object: "list", data: services.searchBackends.list().map((entry) => viewOf(services, entry)) };
}

function viewOf(services: Services, entry: BackendEntry) {
  const { model } = entry;
  return { ...backendView(entry), health: model && healthOf(services, model), last_error: model && lastErrorOf(model) };
}

/** How a backend has been doing in this process. */
function healthOf(services: Services, model: Model) {
  const [view] = healthView(model, false, epochOf(services));
  const [target] = model.targets;
  if (!view || !target) return null;
  const { state, open_until, in_flight, error_rate, latency_ms } = view;
  const isHealthy = state === "closed" && target.health.pickCredential([]) >= 0;
  return {
    status: isHealthy ? "healthy" : "unhealthy",
    circuit: state,
    open_until,
    in_flight,
    error_rate,
    latency_ms,
    history: historyView([target.health], clocksOf(services)),
  };
}

function lastErrorOf({ targets }: Model) {
  const failure = targets[0]?.health.lastFailure ?? null;
  if (failure === null) return null;
  return { class: reasonOfFault(failure.fault), at: Math.floor(failure.at / 1000), message: failure.message };
}

import { invalidRequest, notFound } from "../../../errors.ts";
import { type Answer, jsonAnswer } from "../../../pipeline/answer.ts";
import type { Services } from "../../../pipeline/services.ts";
import { testTarget } from "../../../provider-check/test-target.ts";
import { targetHealthView } from "../../../routing/health/health-summary.ts";
import type { Model } from "../../../routing/names/model.ts";
import { modelView } from "../../../routing/stored-catalog/model-view.ts";
import type { ModelEntry } from "../../../routing/stored-catalog/stored-catalog.ts";
import { adminActor, identifyAdmin } from "../../keyed.ts";
import type { Visit } from "../../visit.ts";
import { openInput } from "./backend-schemas.ts";
import { clocksOf } from "./health.ts";
import { modelListQuery } from "./model-schemas.ts";
import { toPage } from "../input/page.ts";
import { readInput, readQuery } from "../input/read-input.ts";

/** `GET /api/admin/models`: a page of the models of the configuration and of the storage, sorted by id. */
export async function listModels(visit: Visit): Promise<Answer> {
  const { services, request } = visit;
  await identifyAdmin(services, request);
  const { limit, after = null, source = null, provider = null, search = "" } = readQuery(visit, modelListQuery);
  const isAsked = ({ id, stored, config }: ModelEntry) =>
    (after === null || id > after) &&
    (source === null || (stored === null) === (source === "config")) &&
    (provider === null || config?.targets.some((target) => target.provider === provider) === true) &&
    id.toLowerCase().includes(search.toLowerCase());
  const found = services.storedCatalog.models().filter(isAsked);
  const sorted = found.toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)).slice(0, limit + 1);
  return jsonAnswer(
    toPage(
      sorted,
      limit,
      (entry) => viewOf(services, entry),
      ({ id }) => id,
    ),
  );
}

/** `POST /api/admin/models` */
export async function createModel(visit: Visit): Promise<Answer> {
  const { services, request } = visit;
  const by = await adminActor(services, request);
  const entry = await services.storedCatalog.createModel(await readInput(visit, openInput), by);
  return jsonAnswer(viewOf(services, entry), 201);
}

/** `GET /api/admin/models/{id}` */
export async function showModel({ services, request, id }: Visit): Promise<Answer> {
  await identifyAdmin(services, request);
  return jsonAnswer(viewOf(services, find(services, id)));
}

/** `PATCH /api/admin/models/{id}`: changes what is given. */
export async function changeModel(visit: Visit): Promise<Answer> {
  const { services, request, id } = visit;
  const by = await adminActor(services, request);
  const entry = await services.storedCatalog.changeModel(id, await readInput(visit, openInput), by);
  return jsonAnswer(viewOf(services, entry));
}

/** `DELETE /api/admin/models/{id}` */
export async function deleteModel({ services, request, id }: Visit): Promise<Answer> {
  await services.storedCatalog.removeModel(id, await adminActor(services, request));
  return jsonAnswer({ id, object: "model_definition", deleted: true });
}

/** `POST /api/admin/models/{id}/test`: one tiny request to each target, which its provider may charge. It is nobody's. */
export async function testModelByAdmin({ services, request, id }: Visit): Promise<Answer> {
  await identifyAdmin(services, request);
  const model = findInForce(services, id);
  const { callTools: tools, dialects, channels } = services;
  const data = await Promise.all(
    model.targets.map(async ({ provider, model: name }) => {
      const about = { provider: provider.id, upstream_model: name };
      const tried = { name, endpoints: model.endpoints, maxOutputTokens: model.maxOutputTokens };
      const result = await testTarget(provider, tried, { tools, dialects, channel: channels.of(provider) });
      if (result) return { ...about, ...result };
      const message = `The model '${id.slice(0, 100)}' has neither conversations nor embeddings, which is what a test asks for.`;
      throw invalidRequest("invalid_parameter", message, "id");
    }),
  );
  return jsonAnswer({ id, object: "model.test", data });
}

function find({ storedCatalog }: Services, id: string): ModelEntry {
  return storedCatalog.models().find((entry) => entry.id === id) ?? refuse(id);
}

/** The model with this id that callers are served by. */
function findInForce({ catalog }: Services, id: string): Model {
  return (id.endsWith("/*") ? null : catalog.find(id)) ?? refuse(id);
}

function refuse(id: string): never {
  throw notFound("model_not_found", `The model '${id.slice(0, 100)}' does not exist.`, "id");
}

function viewOf(services: Services, entry: ModelEntry) {
  // A pattern has no health of its own: names below it have.
  const inForce = entry.config === null || entry.id.endsWith("/*") ? null : services.catalog.find(entry.id);
  const clocks = clocksOf(services);
  return { ...modelView(entry), health: (inForce?.targets ?? []).map((target) => targetHealthView(target, clocks)) };
}

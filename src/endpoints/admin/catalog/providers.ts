import { invalidRequest, notFound } from "../../../errors.ts";
import { type Answer, jsonAnswer } from "../../../pipeline/answer.ts";
import type { Services } from "../../../pipeline/services.ts";
import { testProvider, testTarget, triedModel } from "../../../provider-check/test-target.ts";
import { healthSummary } from "../../../routing/health/health-summary.ts";
import type { TargetHealth } from "../../../routing/health/target-health.ts";
import { providerView } from "../../../routing/stored-catalog/provider-view.ts";
import type { ProviderEntry } from "../../../routing/stored-catalog/stored-catalog.ts";
import { adminActor, identifyAdmin } from "../../keyed.ts";
import type { Visit } from "../../visit.ts";
import { openInput } from "./backend-schemas.ts";
import { clocksOf } from "./health.ts";
import { providerTestInput } from "./provider-schemas.ts";
import { readInput } from "../input/read-input.ts";

/** `GET /api/admin/providers`: those of the configuration, then the stored ones sorted by id. */
export async function listProviders({ services, request }: Visit): Promise<Answer> {
  await identifyAdmin(services, request);
  const used = usesOf(services);
  const data = services.storedCatalog.providers().map((entry) => viewOf(services, entry, used));
  return jsonAnswer({ object: "list", data });
}

/** `POST /api/admin/providers` */
export async function createProvider(visit: Visit): Promise<Answer> {
  const { services, request } = visit;
  const by = await adminActor(services, request);
  const entry = await services.storedCatalog.createProvider(await readInput(visit, openInput), by);
  return jsonAnswer(viewOf(services, entry), 201);
}

/** `GET /api/admin/providers/{id}` */
export async function showProvider({ services, request, id }: Visit): Promise<Answer> {
  await identifyAdmin(services, request);
  return jsonAnswer(viewOf(services, find(services, id)));
}

/** `PATCH /api/admin/providers/{id}`: changes what is given. */
export async function changeProvider(visit: Visit): Promise<Answer> {
  const { services, request, id } = visit;
  const by = await adminActor(services, request);
  const entry = await services.storedCatalog.changeProvider(id, await readInput(visit, openInput), by);
  return jsonAnswer(viewOf(services, entry));
}

/** `DELETE /api/admin/providers/{id}` */
export async function deleteProvider({ services, request, id }: Visit): Promise<Answer> {
  await services.storedCatalog.removeProvider(id, await adminActor(services, request));
  return jsonAnswer({ id, object: "provider", deleted: true });
}

/** `POST /api/admin/providers/{id}/test`: one real question, that is nobody's. */
export async function testProviderByAdmin(visit: Visit): Promise<Answer> {
  const { services, request, id } = visit;
  await identifyAdmin(services, request);
  const { model = null } = await readInput(visit, providerTestInput);
  const { provider, problem } = find(services, id);
  const about = { id, object: "provider.test", models: null };
  if (provider === null || problem !== null) {
    const error = { class: "not_in_force", status: null, message: problem };
    return jsonAnswer({ ...about, ok: false, latency_ms: 0, error });
  }
  const { callTools: tools, dialects, channels } = services;
  const options = { tools, dialects, channel: channels.of(provider) };
  if (model === null) return jsonAnswer({ ...about, ...(await testProvider(provider, options)) });
  const result = await testTarget(provider, triedModel(model), options);
  if (result) return jsonAnswer({ ...about, ...result });
  throw invalidRequest(
    "invalid_parameter",
    "This provider has no conversations, which is what a test asks for.",
    "model",
  );
}

function find({ storedCatalog }: Services, id: string): ProviderEntry {
  const entry = storedCatalog.providers().find((each) => each.id === id);
  if (entry) return entry;
  throw notFound("provider_not_found", `The provider '${id.slice(0, 100)}' does not exist.`, "id");
}

type Provider = NonNullable<ProviderEntry["provider"]>;

/** What the catalog has at a provider. */
interface Use {
  /** The ids of models and patterns. */
  readonly models: Set<string>;
  readonly targets: Set<TargetHealth>;
}

function usesOf({ catalog }: Services): ReadonlyMap<Provider, Use> {
  const uses = new Map<Provider, Use>();
  const useOf = (provider: Provider): Use => {
    const use = uses.get(provider) ?? { models: new Set(), targets: new Set() };
    uses.set(provider, use);
    return use;
  };
  for (const { id, targets } of catalog.models) {
    for (const { provider, health } of targets) {
      useOf(provider).models.add(id);
      useOf(provider).targets.add(health);
    }
  }
  // A pattern itself is never asked: what is derived from it is.
  for (const { id, targets } of catalog.patternModels) {
    for (const { provider } of targets) useOf(provider).models.add(id);
  }
  for (const { targets } of catalog.derived) {
    for (const { provider, health } of targets) useOf(provider).targets.add(health);
  }
  return uses;
}

const maxModels = 100;

function viewOf(services: Services, entry: ProviderEntry, uses = usesOf(services)) {
  const { provider } = entry;
  const use = provider && uses.get(provider);
  const models = [...(use?.models ?? [])];
  const health = provider && healthSummary(use?.targets ?? new Set(), clocksOf(services));
  return { ...providerView(entry), models: models.slice(0, maxModels), models_count: models.length, health };
}

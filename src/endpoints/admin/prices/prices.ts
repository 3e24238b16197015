import { differencesOf } from "../../../billing/price-lists/price-diff.ts";
import { priceExport } from "../../../billing/price-lists/price-export.ts";
import {
  type ModelAtTargets,
  priceListView,
  shownBackends,
  shownModels,
} from "../../../billing/price-lists/price-list-view.ts";
import { readVersion, versionsOf } from "../../../billing/price-lists/price-versions.ts";
import { notFound } from "../../../errors.ts";
import { type Answer, jsonAnswer } from "../../../pipeline/answer.ts";
import type { Services } from "../../../pipeline/services.ts";
import type { Model } from "../../../routing/names/model.ts";
import { identifyAdmin } from "../../keyed.ts";
import type { Visit } from "../../visit.ts";
import { checkInput } from "../input/check-input.ts";
import { toPage } from "../input/page.ts";
import { priceChangeView } from "./price-change-view.ts";
import { diffQuery, priceListQuery, versionInPath, versionListQuery } from "./price-schemas.ts";
import { readQuery } from "../input/read-input.ts";
import { withStorage } from "../input/with-storage.ts";

/** `GET /api/admin/prices`: the versions of the price list, newest first. */
export async function listVersions(visit: Visit): Promise<Answer> {
  const { services, request } = visit;
  await identifyAdmin(services, request);
  const { limit, after = Infinity } = readQuery(visit, versionListQuery);
  const changes = await withStorage(services, () => services.managed.prices.changes());
  const versions = versionsOf(changes).toReversed();
  const found = versions.filter(({ change }) => change.version < after).slice(0, limit + 1);
  const view = ({ change, inForce }: (typeof found)[number]) => {
    return { object: "price_list.version", ...priceChangeView(change), in_force: inForce };
  };
  return jsonAnswer(toPage(found, limit, view, ({ change }) => change.version));
}

/** `GET /api/admin/prices/{version}`: what the models of this gateway cost, and where each price comes from. */
export async function showVersion(visit: Visit): Promise<Answer> {
  const { services } = visit;
  const book = await bookInPath(visit);
  const { model: name = null } = readQuery(visit, priceListQuery);
  const shown = [
    ...shownModels(book, modelsAtTargets(services, name)),
    ...shownBackends(book, services.backends.all.map(atTargets), name),
  ];
  if (name !== null && shown.length === 0) {
    throw notFound("model_not_found", `The model has no prices in version ${book.version}.`, "model");
  }
  return jsonAnswer(priceListView(book, shown));
}

/** `GET /api/admin/prices/{version}/export`: the prices of a version as a configuration writes them. */
export async function exportVersion(visit: Visit): Promise<Answer> {
  return jsonAnswer(priceExport(await bookInPath(visit)));
}

/** `GET /api/admin/prices/diff?from=1&to=2`: each price that differs between two versions. */
export async function diffVersions(visit: Visit): Promise<Answer> {
  const { services, request } = visit;
  await identifyAdmin(services, request);
  const { from, to } = readQuery(visit, diffQuery);
  const { prices } = services.managed;
  const [before, after] = await withStorage(services, async () => [
    await readVersion(prices, from),
    await readVersion(prices, to),
  ]);
  return jsonAnswer({ object: "price_list.diff", from, to, differences: differencesOf(before, after) });
}

async function bookInPath({ services, request, id }: Visit) {
  await identifyAdmin(services, request);
  const { version } = checkInput(versionInPath, { version: id });
  return withStorage(services, () => readVersion(services.managed.prices, version));
}

/** All models of the catalog by name, or the one that serves a name. */
function modelsAtTargets({ catalog }: Services, name: string | null): ModelAtTargets[] {
  const found = name === null ? catalog.models.toSorted((a, b) => (a.id < b.id ? -1 : 1)) : [catalog.find(name)];
  return found.filter((model) => model !== null).map(atTargets);
}

function atTargets(model: Model): ModelAtTargets {
  const targets = model.targets.map((target) => ({ label: `${target.provider.id}/${target.model}`, target }));
  return { model, targets };
}

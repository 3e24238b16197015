import {
  activateVersion,
  type ChangeNote,
  importPrices,
  type Published,
  rollBack,
} from "../../../billing/price-lists/change-prices.ts";
import { differencesOf } from "../../../billing/price-lists/price-diff.ts";
import { PriceBook } from "../../../billing/prices/price-book.ts";
import { PriceFileError } from "../../../billing/prices/import/price-file.ts";
import type { PriceFormat } from "../../../billing/prices/import/price-formats.ts";
import type { PriceMapReading } from "../../../billing/prices/import/read-price-map.ts";
import type { Actor } from "../../../changes/change.ts";
import type { PriceListStore } from "../../../billing/price-lists/price-list-store.ts";
import { invalidRequest } from "../../../errors.ts";
import { type Answer, jsonAnswer } from "../../../pipeline/answer.ts";
import type { Services } from "../../../pipeline/services.ts";
import { adminActor, identifyAdmin } from "../../keyed.ts";
import type { Visit } from "../../visit.ts";
import { checkInput } from "../input/check-input.ts";
import { priceChangeView } from "./price-change-view.ts";
import { activationInput, importQuery, pathVersion, previewQuery } from "./price-schemas.ts";
import { readInput, readQuery } from "../input/read-input.ts";
import { readText } from "../input/read-text.ts";
import { replayOf } from "./replay-of.ts";
import { withStorage } from "../input/with-storage.ts";

const maxFileBytes = 16 * 1024 * 1024;
const maxShown = 5;
const maxLeftOut = 100;
const maxDifferences = 500;

/** `POST /api/admin/prices/import?format=litellm`: puts the prices of a file in force in place of those imported before. */
export async function importFile(visit: Visit): Promise<Answer> {
  const { services } = visit;
  const by = await authorOf(visit);
  const { format, skip_invalid: skips, note = "imported" } = readQuery(visit, importQuery);
  const { table, problems } = await readFile(visit, format);
  if (problems.length > 0 && skips !== "true") throw invalidFile(problems);
  const models = Object.keys(table.models).length;
  if (models === 0) throw invalidRequest("invalid_request", "The file has no model with a price: nothing is imported.");
  const published = await publish(services, (store) => importPrices(store, table, { ...by, note }));
  const leftOut = { left_out_count: problems.length, left_out: problems.slice(0, maxLeftOut) };
  return jsonAnswer({ ...publishedView(published), models, ...leftOut });
}

/** `POST /api/admin/prices/preview?format=litellm`: what an import would change, and what usage would have cost. Nothing changes. */
export async function previewFile(visit: Visit): Promise<Answer> {
  const { services, request } = visit;
  await identifyAdmin(services, request);
  const { format, skip_invalid: skips } = readQuery(visit, previewQuery);
  const { table, problems } = await readFile(visit, format);
  if (problems.length > 0 && skips !== "true") throw invalidFile(problems);
  const before = services.prices.current;
  const date = new Date(services.clock.now()).toISOString().slice(0, 10);
  const after = new PriceBook(before.version, { ...before.tables, imported: { ...table, date: table.date ?? date } });
  const differences = differencesOf(before, after);
  const replay = await replayOf(services, before, after);
  return jsonAnswer({
    object: "price_list.preview",
    models: Object.keys(table.models).length,
    left_out_count: problems.length,
    differences_count: differences.length,
    differences: differences.slice(0, maxDifferences),
    replay,
  });
}

/** `POST /api/admin/prices/{version}/activate`: puts an earlier version in force again. */
export async function activate(visit: Visit): Promise<Answer> {
  const { services, id } = visit;
  const by = await authorOf(visit);
  const { version } = checkInput(pathVersion, { version: id });
  const { note = `version ${version} again` } = await readInput(visit, activationInput);
  return jsonAnswer(
    publishedView(await publish(services, (store) => activateVersion(store, version, { ...by, note }))),
  );
}

/** `POST /api/admin/prices/rollback`: puts the version before the one in force in force again. */
export async function rollBackPrices(visit: Visit): Promise<Answer> {
  const by = await authorOf(visit);
  const { note = "rolled back" } = await readInput(visit, activationInput);
  return jsonAnswer(publishedView(await publish(visit.services, (store) => rollBack(store, { ...by, note }))));
}

async function authorOf({ services, request }: Visit): Promise<Omit<ChangeNote, "note">> {
  const by = await adminActor(services, request);
  return { by, author: describeActor(by) };
}

function describeActor(by: Actor): string {
  if (by.kind === "gateway") return "gateway";
  return by.kind === "key" ? `key ${by.id}` : `console:${by.user}`;
}

/** Makes a change. It is in force in this process when the promise resolves, in others within a second. */
async function publish(services: Services, change: (store: PriceListStore) => Promise<Published>): Promise<Published> {
  const published = await withStorage(services, () => change(services.managed.prices));
  await services.managed.refreshPrices();
  return published;
}

async function readFile(visit: Visit, format: PriceFormat): Promise<PriceMapReading> {
  const { managed, capacity } = visit.services;
  const hold = capacity.admit((await identifyAdmin(visit.services, visit.request)).key.id);
  try {
    return await managed.readPrices(await readText(visit, maxFileBytes, hold), format);
  } catch (error) {
    if (!(error instanceof PriceFileError)) throw error;
    throw invalidRequest("invalid_json", `The price file cannot be read. ${error.message}`);
  } finally {
    hold.release();
  }
}

function invalidFile(problems: PriceMapReading["problems"]) {
  const shown = problems.slice(0, maxShown).map(({ path, message }) => `'${path}': ${message}.`);
  const more = problems.length > maxShown ? ` There are ${problems.length - maxShown} more problems.` : "";
  const remedy = "With skip_invalid=true the models concerned are left out.";
  const message = `The price file is not imported. ${shown.join(" ")}${more} ${remedy}`;
  return invalidRequest("invalid_parameter", message, problems[0]?.path ?? null);
}

function publishedView({ change, isNew }: Published) {
  return { object: "price_list.change", ...priceChangeView(change), changed: isNew };
}

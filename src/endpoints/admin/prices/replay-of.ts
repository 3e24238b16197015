import type { PriceBook } from "../../../billing/prices/price-book.ts";
import type { Services } from "../../../pipeline/services.ts";
import { type Replay, replayedBy, replayPrices, type ServedBy } from "../../../usage/replay-prices.ts";
import { summarize } from "../../../usage/summarize.ts";
import { allRecords } from "../../../usage/usage-store.ts";
import { withStorage } from "../input/with-storage.ts";

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const maxRows = 100;
const usualDays = 30;

/** Two price lists side by side, from the sums of usage: whole hours, so that few records are read. */
export async function replayOf(services: Services, before: PriceBook, after: PriceBook, days = usualDays) {
  const now = services.clock.now();
  const since = Math.floor((now - days * dayMs) / hourMs) * hourMs;
  const query = { filter: { ...allRecords, from: since }, by: replayedBy, timeZone: "UTC", withDurations: false };
  const { rows } = await withStorage(services, () => summarize(services.usage, query));
  const free = freePaths(services);
  const replay = await replayPrices(rows, {
    before,
    after,
    servedBy: (model, provider) => servedBy(services, model, provider),
    isFree: (endpoint) => free.has(endpoint),
  });
  return { days, since: since / 1000, ...viewOf(replay) };
}

function viewOf({ rows, unknownRequests }: Replay) {
  const sum = (read: (row: Replay["rows"][number]) => number) => rows.reduce((total, row) => total + read(row), 0);
  return {
    is_exact: rows.every(({ isExact }) => isExact) && unknownRequests === 0,
    requests: sum(({ requests }) => requests),
    unknown_requests: unknownRequests,
    charged_microusd: sum(({ chargedMicrousd }) => chargedMicrousd),
    before_microusd: sum(({ beforeMicrousd }) => beforeMicrousd),
    after_microusd: sum(({ afterMicrousd }) => afterMicrousd),
    models_count: rows.length,
    models: rows.slice(0, maxRows).map((row) => ({
      model: row.model,
      provider: row.provider,
      requests: row.requests,
      charged_microusd: row.chargedMicrousd,
      before_microusd: row.beforeMicrousd,
      after_microusd: row.afterMicrousd,
      is_exact: row.isExact,
    })),
  };
}

/** The model of a record, at the target of the provider that served it. */
function servedBy({ catalog, names, backends }: Services, name: string, provider: string | null): ServedBy | null {
  const known = catalog.find(name);
  const members = [names.find(name), backends.find(name)].map(
    (found) => found?.members.map(({ model }) => model) ?? [],
  );
  for (const models of [known ? [known] : [], ...members]) {
    const served = models.flatMap((model) => {
      const target = model.targets.find((each) => each.provider.id === provider);
      return target ? [{ model, target }] : [];
    });
    const [first] = served;
    if (first) return { ...first, isCertain: served.length === 1 };
  }
  return null;
}

/** Operations that cost nothing whatever the prices, as token counts. */
function freePaths({ dialects }: Services): ReadonlySet<string> {
  const operations = dialects.all.flatMap(({ operations: all }) => all);
  return new Set(operations.filter(({ isFree }) => isFree).flatMap(({ paths }) => paths));
}

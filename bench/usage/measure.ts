import type { Storage } from "../../src/storage/storage.ts";
import { summarize } from "../../src/usage/summarize.ts";
import type { SummaryKey } from "../../src/usage/summary-query.ts";
import type { Facet } from "../../src/usage/facets.ts";
import { allRecords as all, type RecordFilter, type TimeRange } from "../../src/usage/usage-store.ts";
import { percentile } from "../results/statistics.ts";
import { keyOf, month, prepaidAccountId } from "./make-record.ts";

/** What each is to stay below. */
const maxMs = 50;
const dayMs = 86_400_000;
const limit = 51;

/** Measures lookups, pages of the list and summaries of a month, those whose names match, and prints the time of each. */
export async function measureAll(storage: Storage, runs: number, only: RegExp): Promise<void> {
  let missed = 0;
  for (const [name, run] of await operationsOf(storage)) {
    if (!only.test(name)) continue;
    const times: number[] = [];
    const cpu = process.cpuUsage();
    for (let index = 0; index <= runs; index += 1) {
      const before = performance.now();
      await run();
      times.push(performance.now() - before);
    }
    const { user, system } = process.cpuUsage(cpu);
    const [first = 0, ...rest] = times;
    const ordered = rest.toSorted((a, b) => a - b);
    const at = (share: number) => `${percentile(ordered, share).toFixed(1)} ms`;
    const isOver = percentile(ordered, 0.5) > maxMs;
    if (isOver) missed += 1;
    const processor = ((user + system) / (runs + 1) / 1000).toFixed(1);
    console.log(
      `  ${name.padEnd(66)} lowest ${at(0)}, median ${at(0.5)}, longest ${at(1)}, first ${first.toFixed(1)} ms; processor ${processor} ms${isOver ? `; over ${maxMs} ms` : ""}`,
    );
  }
  console.log(`  medians over ${maxMs} ms: ${missed}`);
}

type Operation = readonly [name: string, run: () => Promise<unknown>];

async function operationsOf({ usage, records }: Storage): Promise<Operation[]> {
  const own: RecordFilter = { ...all, keyId: keyOf(0) };
  const [newest] = await usage.list(own, { limit: 1, before: null });
  const [old] = await usage.list({ ...own, to: month.from + 3 * dayMs }, { limit: 1, before: null });
  const id = old?.id ?? "";
  const facet = (name: Facet["name"], value: string | null | undefined) => ({ facets: [{ name, value: value ?? "" }] });
  const [inSession] = await usage.list({ ...own, ...facet("tag:team", "t1") }, { limit: 1, before: null });
  const session = await findSession();
  const week = { from: month.from + 7 * dayMs + 1, to: month.from + 14 * dayMs + 1 };

  async function findSession(): Promise<string> {
    for (let before = id; ;) {
      const page = await usage.list(own, { limit: 100, before });
      const found = page.find(({ attribution }) => attribution.session !== null);
      if (found?.attribution.session) return found.attribution.session;
      before = page.at(-1)?.id ?? "";
      if (page.length === 0) return "";
    }
  }

  const lookup: Operation[] = [
    ["lookup by id", () => records.find(keyOf(0), id)],
    [
      "lookup by response id, the newest",
      () => records.find(keyOf(0), newest?.responseId ?? inSession?.responseId ?? ""),
    ],
    ["lookup by response id, of the third day", () => records.find(keyOf(0), old?.responseId ?? "")],
    ["lookup of an unknown id", () => records.find(keyOf(0), "req_01k6f0000000000000000000zz")],
    ["lookup by id, operator", () => records.findAnyones(id)],
  ];
  const filters: [string, Partial<RecordFilter>][] = [
    ["", {}],
    [", one model", { model: "gpt-5" }],
    [", one endpoint", { endpoint: "/v1/messages" }],
    [", succeeded", { statuses: ["succeeded"] }],
    [", failed", { statuses: ["failed"] }],
    [", failed or refused", { statuses: ["failed", "refused"] }],
    [", pending", { statuses: ["pending"] }],
    [", one provider", { provider: "second" }],
    [", a provider that was never asked", { provider: "none" }],
    [", at least 0.03 USD", { minAmountMicrousd: 30_000 }],
    [", at least a USD", { minAmountMicrousd: 1_000_000 }],
    [", at least 10 seconds", { minLatencyMs: 10_000 }],
    [", at least 100 seconds", { minLatencyMs: 100_000 }],
    [", one model, at least 30 seconds", { model: "gpt-5", minLatencyMs: 30_000 }],
    [", a tag, at least 60 seconds", { ...facet("tag:team", "t1"), minLatencyMs: 60_000 }],
    [", within a week", week],
    [", failed, one model, within a week", { statuses: ["failed"], model: "gpt-5", ...week }],
    [
      ", one model, one endpoint, succeeded",
      { statuses: ["succeeded"], model: "gpt-5", endpoint: "/v1/chat/completions" },
    ],
    [", a model that one of 10,000 asked for", { model: "rare" }],
    [", a model that was never asked for", { model: "none" }],
    [", a tag", facet("tag:team", "t1")],
    [", a tag, one model, failed", { ...facet("tag:team", "t1"), model: "gpt-5", statuses: ["failed"] }],
    [", an end user", facet("end_user", "user-7")],
    [", a session", facet("session", session)],
    [", an end user that never was", facet("end_user", "nobody")],
  ];
  const months = { from: month.from - 900_000, to: month.to + 9 * dayMs };
  const pages = filters.flatMap(([name, filter]): Operation[] => [
    [
      `page of all keys, within 40 days${name}`,
      () => usage.list({ ...all, ...months, ...filter }, { limit, before: null }),
    ],
    [`page${name}`, () => usage.list({ ...own, ...filter }, { limit, before: null })],
    [`page deep in${name}`, () => usage.list({ ...own, ...filter }, { limit, before: id })],
    [`page of all keys${name}`, () => usage.list({ ...all, ...filter }, { limit, before: null })],
  ]);
  pages.push([
    "page of an account",
    () => usage.list({ ...all, accountId: prepaidAccountId }, { limit, before: null }),
  ]);

  const aDay = { from: month.from + 7 * dayMs, to: month.from + 8 * dayMs };
  const sums =
    (filter: RecordFilter) =>
    (by: SummaryKey[], timeZone = "UTC", more: Partial<RecordFilter> = {}) =>
      summarize(usage, { filter: { ...filter, ...month, ...more }, by, timeZone, withDurations: false });
  const latency = (by: SummaryKey[], filter: RecordFilter, timeZone = "UTC", range: TimeRange = month) =>
    summarize(usage, { filter: { ...filter, ...range }, by, timeZone, withDurations: true });
  const sum = sums(own);
  const keys: SummaryKey[][] = [
    ...([
      [],
      ["hour"],
      ["day"],
      ["week"],
      ["month"],
      ["model"],
      ["endpoint"],
      ["status"],
      ["provider"],
    ] as SummaryKey[][]),
    ...([["day", "model"], ["tag:team"], ["day", "tag:team"], ["end_user"], ["month", "end_user"]] as SummaryKey[][]),
  ];
  const zones = ["UTC", "Europe/Berlin", "Asia/Kolkata"];
  const shifts: Readonly<Record<string, number>> = { UTC: 0, "Europe/Berlin": -7_200_000, "Asia/Kolkata": -19_800_000 };
  const summaries = zones.flatMap((zone) =>
    keys.map((by): Operation => {
      const shift = shifts[zone] ?? 0;
      const range = { from: month.from + shift, to: month.to + shift };
      return [`month by ${by.join(", ") || "nothing"}, ${zone}`, () => sum(by, zone, range)];
    }),
  );
  summaries.push(
    ["month by hour and tag, UTC", () => sum(["hour", "tag:team"])],
    ["month by model, from an odd millisecond", () => sum(["model"], "UTC", { from: month.from + 12_345_678 })],
    ["month by day, one model", () => sum(["day"], "UTC", { model: "gpt-5" })],
    ["month by model, of a tag", () => sum(["model"], "UTC", facet("tag:team", "t1"))],
    ["month by day, of an end user", () => sum(["day"], "UTC", facet("end_user", "user-7"))],
    ["month by day, of an end user, Europe/Berlin", () => sum(["day"], "Europe/Berlin", facet("end_user", "user-7"))],
    ["month by model, of a session", () => sum(["model"], "UTC", facet("session", session))],
    ["a day by session", () => sum(["session"], "UTC", { from: month.from, to: month.from + dayMs })],
    ["month of all keys by day and model", () => sums(all)(["day", "model"])],
    ["month of all keys by tag", () => sums(all)(["tag:team"])],
    ["month of all keys by key", () => sums(all)(["key"])],
    ["latency of a month", () => latency([], own)],
    ["latency of a month by model", () => latency(["model"], own)],
    ["latency of a month by day", () => latency(["day"], own)],
    ["latency of a month by day, Europe/Berlin", () => latency(["day"], own, "Europe/Berlin")],
    ["latency of a month of all keys", () => latency([], all)],
    ["latency of a month of all keys by day", () => latency(["day"], all)],
    ["latency of a month of all keys by model", () => latency(["model"], all)],
    ["latency of a month of all keys by key", () => latency(["key"], all)],
    ["latency of a month of all keys by day and model", () => latency(["day", "model"], all)],
    ["latency of a day of all keys by hour", () => latency(["hour"], all, "UTC", aDay)],
    ["latency of a day of all keys by hour and model", () => latency(["hour", "model"], all, "UTC", aDay)],
    ["month of an account by model", () => sums({ ...all, accountId: prepaidAccountId })(["model"])],
  );
  return [...lookup, ...pages, ...summaries];
}

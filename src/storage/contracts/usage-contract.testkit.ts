import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { unattributed } from "../../attribution/attribution.ts";
import { insertRecords } from "../../records/example-record.testkit.ts";
import type { UsageRecord } from "../../records/record.ts";
import { type Facet } from "../../usage/facets.ts";
import { percentilesOf } from "../../usage/histogram.ts";
import { summarize } from "../../usage/summarize.ts";
import type { SummaryKey } from "../../usage/summary-query.ts";
import { dayMs, type RollupKind, rollupKinds, type RollupSpan, startOfSpan, endOfSpan } from "../../usage/rollup.ts";
import { allRecords, type RecordFilter, type RollupQuery } from "../../usage/usage-store.ts";
import type { Storage } from "../storage.ts";
import {
  start,
  facts,
  recordOf,
  faceted,
  summaryKeys,
  facetKeys,
  facetIn,
  nameIn,
  totalOf,
  expectPercentiles,
  rowsOf,
  totalOfRows,
} from "./usage-records.testkit.ts";

/** Tests of lists and rollups that every storage must pass. */
export function usageContract(storage: () => Storage): void {
  let lastKey = 0;

  test("rollups equal the sum of the records, whatever is replayed and however pending ones end", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(facts, { maxLength: 40 }), async (all) => {
        const { records: store, usage } = storage();
        const keyId = `rollup${(lastKey += 1)}`;
        const records = all.map((each) => recordOf(keyId, each));
        await insertRecords(store, records);
        // A replay of all of them, together with the ends of some.
        const ends = records.flatMap((record, place): UsageRecord[] => {
          const end = all[place]?.end ?? null;
          return record.status === "pending" && end !== null ? [{ ...record, status: end, model: "b" }] : [];
        });
        await insertRecords(store, [...ends, ...records, ...ends]);
        await insertRecords(store, ends);
        const kept = records.map((record) => ends.find(({ id }) => id === record.id) ?? record);

        const sum = async (
          kind: RollupKind,
          span: RollupSpan,
          by: RollupQuery["by"],
          filter: Partial<RecordFilter> = {},
          facet: RollupQuery["facet"] = null,
        ) =>
          rowsOf(
            await usage.sumRollups({
              kind,
              span,
              ranges: [{ from: startOfSpan(span, start), to: endOfSpan(span, startOfSpan(span, start + 9 * dayMs)) }],
              keyIds: [keyId],
              filter: { ...allRecords, keyId, ...filter },
              by,
              facet,
              withDurations: false,
              limit: 1_000,
            }),
          );
        for (const span of rollupKinds.times.spans) {
          expect(totalOfRows(await sum("times", span, []))).toEqual(totalOf(kept));
        }
        for (const span of rollupKinds.names.spans) {
          expect(totalOfRows(await sum("names", span, []))).toEqual(totalOf(kept));
          expect(totalOfRows(await sum("names", span, ["model", "status"]))).toEqual(totalOf(kept));
          const ofModel = await sum("names", span, ["model"], { model: "b" });
          expect(totalOfRows(ofModel)).toEqual(totalOf(kept.filter(({ model }) => model === "b")));
          const ofAccount = await sum("names", span, [], { accountId: "team-a" });
          expect(totalOfRows(ofAccount)).toEqual(totalOf(kept.filter(({ accountId }) => accountId === "team-a")));
        }
        for (const kind of ["facetNames", "facets"] as const) {
          for (const span of rollupKinds[kind].spans) {
            for (const [name, value, has] of faceted) {
              const facet = { name, value };
              expect(totalOfRows(await sum(kind, span, [], {}, facet))).toEqual(totalOf(kept.filter(has)));
              const byValue = await sum(kind, span, ["value"], {}, { name, value: null });
              const own = byValue.filter(({ names: [shown] }) => shown === value);
              expect(totalOfRows(own)).toEqual(totalOf(kept.filter(has)));
            }
          }
        }
        const final = kept.filter(({ status }) => status !== "pending");
        if (final.length > 0) {
          expect(await usage.keyIds()).toContain(keyId);
          const times = final.map(({ createdAt }) => createdAt);
          const extent = await usage.extent([keyId]);
          expect(extent?.from).toBe(Math.floor(Math.min(...times) / dayMs) * dayMs);
          expect(extent?.to).toBe((Math.floor(Math.max(...times) / dayMs) + 1) * dayMs);
        } else expect(await usage.extent([keyId])).toBeNull();

        for (const [name, value, has] of faceted) {
          const filter = { ...allRecords, keyId, facets: [{ name, value }] };
          const listed = await usage.list(filter, { limit: 1_000, before: null });
          expect(listed.map(({ id }) => id)).toEqual(
            kept
              .filter(has)
              .map(({ id }) => id)
              .toSorted()
              .toReversed(),
          );
        }

        // Lists agree with a plain search, by any filter and from any place.
        const newest = kept.toSorted((a, b) => (a.id < b.id ? 1 : -1));
        const lists = [null, ["failed"], ["pending"], ["failed", "pending"], ["succeeded", "refused"]] as const;
        const others: readonly (readonly [Partial<RecordFilter>, (record: UsageRecord) => boolean])[] = [
          [{}, () => true],
          [{ model: "b" }, ({ model }) => model === "b"],
          [{ model: "c".repeat(500) }, ({ model }) => model === "c".repeat(500)],
          [{ provider: "two" }, ({ routing }) => routing.provider === "two"],
          [{ minAmountMicrousd: 2_000_000 }, ({ billing }) => billing.amountMicrousd >= 2_000_000],
          [
            { minLatencyMs: 9_000, provider: "one" },
            ({ routing }) => routing.latencyMs >= 9_000 && routing.provider === "one",
          ],
        ];
        for (const statuses of lists) {
          for (const [more, has] of others) {
            const matching = newest.filter(
              (record) => (statuses?.some((status) => status === record.status) ?? true) && has(record),
            );
            const filter = { ...allRecords, keyId, statuses, ...more };
            expect(await usage.list(filter, { limit: 1_000, before: null })).toEqual(matching);
            const middle = matching[Math.floor(matching.length / 2)];
            if (middle === undefined) continue;
            const after = matching.slice(matching.indexOf(middle) + 1, matching.indexOf(middle) + 4);
            expect(await usage.list(filter, { limit: 3, before: middle.id })).toEqual(after);
          }
        }
      }),
      { numRuns: 25 },
    );
  });

  test("finds the few records that meet a filter among many, page by page", async () => {
    const { records: store, usage } = storage();
    const keyId = `many${(lastKey += 1)}`;
    const given = {
      accountId: "default",
      endpoint: "/v1/chat/completions",
      input: 1,
      saved: 0,
      firstByte: null,
    } as const;
    const records = Array.from({ length: 4_000 }, (_, place) =>
      recordOf(keyId, {
        ...given,
        minute: place + (place > 3_000 ? 40_000 : 0),
        provider: place % 401 === 0 ? "two" : "one",
        amount: place % 307 === 0 ? 50 : 1,
        latency: place % 283 === 0 ? 1_000 : 10,
        model: place % 97 === 0 || (place > 500 && place < 540) ? "b" : "a",
        status: place % 211 === 0 ? "pending" : place % 193 === 0 || place === 520 ? "failed" : "succeeded",
        attribution: { ...unattributed, session: place % 301 === 0 ? "s1" : null },
        seconds: null,
        end: null,
      }),
    );
    for (let from = 0; from < records.length; from += 500) {
      await insertRecords(store, records.slice(from, from + 500));
    }
    const newest = records.toSorted((a, b) => (a.id < b.id ? 1 : -1));
    const filters: (readonly [Partial<RecordFilter>, (record: UsageRecord) => boolean])[] = [
      [{ model: "b" }, ({ model }) => model === "b"],
      [{ statuses: ["failed"] }, ({ status }) => status === "failed"],
      [{ statuses: ["pending"] }, ({ status }) => status === "pending"],
      [{ statuses: ["failed", "pending"] }, ({ status }) => status !== "succeeded"],
      [{ provider: "two" }, ({ routing }) => routing.provider === "two"],
      [{ minAmountMicrousd: 50 }, ({ billing }) => billing.amountMicrousd >= 50],
      [{ minLatencyMs: 900, model: "a" }, ({ routing, model }) => routing.latencyMs >= 900 && model === "a"],
      [{ facets: [{ name: "session", value: "s1" }] }, ({ attribution }) => attribution.session === "s1"],
      [{ model: "b", statuses: ["failed"] }, ({ model, status }) => model === "b" && status === "failed"],
      [
        { model: "b", from: start + 100 * 60_000 + 1, to: start + 2_500 * 60_000 + 1 },
        ({ model, createdAt }) =>
          model === "b" && createdAt > start + 100 * 60_000 && createdAt <= start + 2_500 * 60_000,
      ],
    ];
    for (const [filter, matches] of filters) {
      const expected = newest.filter(matches).map(({ id }) => id);
      expect(expected.length).toBeGreaterThan(0);
      for (const limit of [1_000, 7]) {
        for (const owner of [keyId, null]) {
          const found: string[] = [];
          for (let before: string | null = null; ;) {
            const page = await usage.list({ ...allRecords, keyId: owner, ...filter }, { limit, before });
            found.push(...page.filter((record) => record.keyId === keyId).map(({ id }) => id));
            before = page.at(-1)?.id ?? null;
            if (page.length < limit) break;
          }
          expect(found).toEqual(expected);
        }
      }
    }
  });

  test("a summary by anything, in any zone and between any times, equals the sum of the records", async () => {
    const keys = fc.uniqueArray(fc.constantFrom<SummaryKey[]>(...summaryKeys), { maxLength: 3 });
    const time = fc.option(fc.nat({ max: 3 * 24 * 60 * 60_000 }).map((ms) => start + ms));
    const zones = fc.constantFrom("UTC", "Europe/Berlin", "Asia/Kathmandu", "Australia/Lord_Howe", "America/New_York");
    const selected = fc.constantFrom<Facet[][]>(
      [],
      [{ name: "tag:team", value: "a" }],
      [{ name: "session", value: "s1" }],
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(facts, { minLength: 1, maxLength: 30 }),
        fc.array(fc.record({ by: keys, one: time, other: time, timeZone: zones, facets: selected }), { minLength: 8 }),
        async (all, queries) => {
          const { records: store, usage } = storage();
          const keyId = `summary${(lastKey += 1)}`;
          const records = all.map((each) => recordOf(keyId, each));
          await insertRecords(store, records);
          for (const { by, one, other, timeZone, facets } of queries) {
            const [from, to] = one !== null && other !== null && other < one ? [other, one] : [one, other];
            const filter = { ...allRecords, keyId, from, to, facets };
            const withDurations = facets.length === 0 && by.every((key) => !facetKeys.has(key));
            const { rows, total } = await summarize(usage, { filter, by, timeZone, withDurations });
            const expected = new Map<string, UsageRecord[]>();
            const matching = records.filter(
              (record) =>
                record.status !== "pending" &&
                (from === null || record.createdAt >= from) &&
                (to === null || record.createdAt < to) &&
                facets.every(({ name, value }) => facetIn(record, name) === value),
            );
            for (const record of matching) {
              const names = JSON.stringify(by.map((key) => nameIn(record, key, timeZone)));
              expected.set(names, [...(expected.get(names) ?? []), record]);
            }
            const given = rows.map((row) => {
              const { names, durations: _, ...sums } = row;
              return [JSON.stringify(names), sums] as const;
            });
            expect(Object.fromEntries(given)).toEqual(
              Object.fromEntries([...expected].map(([names, some]) => [names, totalOf(some)])),
            );
            const { durations, ...sums } = total;
            expect(sums).toEqual(totalOf(matching));
            if (!withDurations) continue;
            for (const { names, durations: own } of [...rows, { names: null, durations }]) {
              const some = names === null ? matching : (expected.get(JSON.stringify(names)) ?? []);
              expectPercentiles(percentilesOf(own.latencies), some, "latencyMs");
              expectPercentiles(percentilesOf(own.firstBytes), some, "timeToFirstByteMs");
            }
          }
        },
      ),
      { numRuns: 15 },
    );
  }, 120_000);

  test("percentiles stay right while the requests of an hour come one after another", async () => {
    const { records: store, usage } = storage();
    const keyId = `steady${(lastKey += 1)}`;
    const given = {
      attribution: unattributed,
      accountId: "default",
      model: "a",
      endpoint: "/v1/chat/completions",
      provider: "one",
      minute: 7,
      status: "succeeded",
      amount: 1,
      input: 1,
      saved: 0,
      seconds: null,
      end: null,
    } as const;
    const records = Array.from({ length: 300 }, (_, place) =>
      recordOf(keyId, { ...given, latency: (place * 7_919) % 20_000, firstByte: 3 + (place % 11) * 40 }),
    );
    for (let at = 0; at < records.length; at += 3) await insertRecords(store, records.slice(at, at + 3));
    const filter = { ...allRecords, keyId };
    for (const by of [[], ["model"]] as const) {
      const { total } = await summarize(usage, { filter, by, timeZone: "UTC", withDurations: true });
      expectPercentiles(percentilesOf(total.durations.latencies), records, "latencyMs");
      expectPercentiles(percentilesOf(total.durations.firstBytes), records, "timeToFirstByteMs");
    }
    const day = { from: start, to: start + dayMs };
    const query = { kind: "times", span: dayMs, ranges: [day], keyIds: [keyId], filter, facet: null, by: [] } as const;
    const sums = await usage.sumRollups({ ...query, withDurations: true, limit: 10 });
    // Each bucket once or twice, and not each request.
    expect(sums.durations?.latencies[0]?.length).toBeLessThan(600);
    expect(sums.durations?.latencies[0]?.split(",").length).toBeGreaterThan(20);
  });

  test("sums by ranges and names, and bounds how many", async () => {
    const { records: store, usage } = storage();
    const given = {
      attribution: unattributed,
      accountId: "default",
      endpoint: "/v1/chat/completions",
      provider: null,
      saved: 0,
      latency: 1,
      firstByte: null,
      amount: 3,
      input: 2,
      seconds: 1.5,
      end: null,
    } as const;
    const made = [0, 1, 2, 1_440].flatMap((minute) =>
      ["a", "b"].map((model) => recordOf("ranges", { ...given, status: "failed", minute, model })),
    );
    await insertRecords(store, made);
    const query = {
      kind: "names",
      span: dayMs,
      ranges: [
        { from: start, to: start + dayMs },
        { from: start + dayMs, to: start + 2 * dayMs },
      ],
      keyIds: ["ranges", "unknown"],
      filter: { ...allRecords, keyId: "ranges" },
      by: ["model", "provider"],
      facet: null,
      withDurations: false,
    } as const;
    const sums = rowsOf(await usage.sumRollups({ ...query, limit: 10 }));
    const shown = sums.map(({ range, names, requests, errors, amountMicrousd }) => {
      return { range, names, requests, errors, amountMicrousd };
    });
    expect(shown.toSorted((a, b) => a.range - b.range || (a.names < b.names ? -1 : 1))).toEqual([
      { range: 0, names: ["a", ""], requests: 3, errors: 3, amountMicrousd: 9 },
      { range: 0, names: ["b", ""], requests: 3, errors: 3, amountMicrousd: 9 },
      { range: 1, names: ["a", ""], requests: 1, errors: 1, amountMicrousd: 3 },
      { range: 1, names: ["b", ""], requests: 1, errors: 1, amountMicrousd: 3 },
    ]);
    expect(await usage.sumRollups({ ...query, limit: 3 })).toMatchObject({ count: 3 });
  });

  test("the audit finds nothing wrong with the sums of values of any length and script", async () => {
    const { records: store, auditor } = storage();
    const keyId = `scripts${(lastKey += 1)}`;
    const lengths = [66, 67, 99, 100, 101, 128, 199, 200, 201, 256];
    const values = ["a", "ü", "語", "😀"].flatMap((character) =>
      lengths.map((length) => character.repeat(length).slice(0, 256)),
    );
    const given = { minute: 0, model: "a", endpoint: "/v1/chat/completions", status: "succeeded" } as const;
    const records = values.map((value) =>
      recordOf(keyId, {
        ...given,
        attribution: { ...unattributed, endUser: value, session: value },
        accountId: "default",
        provider: "one",
        saved: 0,
        latency: 1,
        firstByte: null,
        amount: 1,
        input: 1,
        seconds: null,
        end: null,
      }),
    );
    await insertRecords(store, records);
    const found: string[] = [];
    await auditor.audit(({ kind, subject }) => {
      if (kind === "rollup" && subject.includes(keyId)) found.push(subject);
    });
    expect(found).toEqual([]);
  });
}

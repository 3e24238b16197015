import { beforeAll, expect, test } from "bun:test";
import { focusColumns } from "../../src/usage/export/focus.ts";
import type { TestKey } from "../gateway.testkit.ts";
import { onEachStorage } from "./storages.testkit.ts";

/** `GET /api/usage/summary` and `GET /api/usage/export`, and their counterparts for operators. */

interface Sums {
  readonly requests: number;
  readonly errors: number;
  readonly tokens: Readonly<Record<string, number>>;
  readonly amount_microusd: number;
}

interface Summary {
  readonly data: readonly (Sums & Readonly<Record<string, unknown>>)[];
  readonly total: Sums;
}

const start = Date.parse("2026-11-20T22:30:00Z");
let now = start;
const clock = { now: () => now };

/** The columns that every dataset of the specification has. */
const mandatoryColumns =
  "BilledCost BillingAccountId BillingAccountName BillingCurrency BillingPeriodEnd BillingPeriodStart ChargeCategory ChargeClass ChargeDescription ChargePeriodEnd ChargePeriodStart ContractedCost EffectiveCost HostProviderName InvoiceIssuerName ListCost PricingQuantity PricingUnit ServiceCategory ServiceName ServiceProviderName".split(
    " ",
  );

onEachStorage({ clock, models: [{ id: "other-chat" }] }, (gateway) => {
  let key: TestKey;
  let operator: TestKey;

  const ask = (path: string, who = key) => gateway().fetch(path, { headers: { authorization: `Bearer ${who.key}` } });
  async function summary(query: string, who = key, path = "/api/usage/summary"): Promise<Summary> {
    const response = await ask(`${path}?${query}`, who);
    expect(response.status).toBe(200);
    return (await response.json()) as Summary;
  }
  const counts = ({ data }: Summary, ...names: string[]) =>
    data.map((row) => [...names.map((name) => row[name]), row.requests, row.errors, row.amount_microusd]);

  beforeAll(async () => {
    now = start;
    [key, operator] = await Promise.all([gateway().newKey(), gateway().newKey({ admin: true })]);
    // 1,000 read at 0.25 and 10 written at 2.00 USD a million: 270 micro-USD. Half an hour apart.
    for (let index = 0; index < 6; index += 1) {
      const fails = index === 4;
      const headers: Record<string, string> = { authorization: `Bearer ${key.key}` };
      if (index < 3) headers["x-service-tags"] = `team=${index === 0 ? "search" : "=2+5"}`;
      const sandbox = fails
        ? { fault: { kind: "status", status: 500 } }
        : { text: "Good day.", tokens: { input: 1_000, output: 10 } };
      const response = await gateway().chat({ model: index % 2 ? "other-chat" : "sandbox-chat", sandbox }, { headers });
      await response.text();
      now += 30 * 60_000;
    }
  });

  test("adds up by day and model, with a total", async () => {
    const result = await summary("by=day,model");
    expect(result).toMatchObject({ object: "usage.summary", by: ["day", "model"], time_zone: "UTC", currency: "USD" });
    expect(counts(result, "day", "model")).toEqual([
      ["2026-11-20", "other-chat", 1, 0, 270],
      ["2026-11-20", "sandbox-chat", 2, 0, 540],
      ["2026-11-21", "other-chat", 2, 0, 540],
      ["2026-11-21", "sandbox-chat", 1, 1, 0],
    ]);
    expect(result.total).toMatchObject({
      requests: 6,
      errors: 1,
      tokens: { input: 5_000, output: 50 },
      total_tokens: 5_050,
      amount_microusd: 1_350,
    });
  });

  test("adds up in a time zone, between times and by what else a record has", async () => {
    const berlin = await summary("by=day&time_zone=Europe/Berlin");
    expect(counts(berlin, "day")).toEqual([
      ["2026-11-20", 1, 0, 270],
      ["2026-11-21", 5, 1, 1_080],
    ]);
    expect(counts(await summary("by=hour&to=2026-11-21T00:00:00Z"), "hour")).toEqual([
      ["2026-11-20T22:00:00Z", 1, 0, 270],
      ["2026-11-20T23:00:00Z", 2, 0, 540],
    ]);
    const odd = await summary(`from=${start / 1000 + 1}&to=2026-11-20T23:30:00Z&by=week,month,status`);
    expect(counts(odd, "week", "month", "status")).toEqual([["2026-11-16", "2026-11", "succeeded", 1, 0, 270]]);
    expect(counts(await summary("by=provider,endpoint&status=failed"), "provider", "endpoint")).toEqual([
      ["sandbox", "/v1/chat/completions", 1, 1, 0],
    ]);
    expect(counts(await summary(""))).toEqual([[6, 1, 1_350]]);
    expect(await summary("from=2030-01-01")).toMatchObject({ data: [], total: { requests: 0, amount_microusd: 0 } });
  });

  test("adds up by attribution, and what has none", async () => {
    expect(counts(await summary("by=tag:team"), "tag:team")).toEqual([
      ["=2+5", 2, 0, 540],
      ["search", 1, 0, 270],
      [null, 3, 1, 540],
    ]);
    expect((await summary("tag:team=search")).total).toMatchObject({ requests: 1, amount_microusd: 270 });
    expect(counts(await summary("by=session,tag:team,model&tag:team=search"), "session", "tag:team", "model")).toEqual([
      [null, "search", "sandbox-chat", 1, 0, 270],
    ]);
  });

  test("adds up by key and account, and tells how long requests took if asked to", async () => {
    const path = "/api/admin/usage/summary";
    expect(counts(await summary("by=key", operator, path), "key")).toEqual([[key.id, 6, 1, 1_350]]);
    expect(counts(await summary("by=account,key&provider=sandbox"), "account", "key")).toEqual([
      ["default", key.id, 6, 1, 1_350],
    ]);
    expect((await summary("provider=other&status=failed,succeeded")).total.requests).toBe(0);
    expect((await summary("status=failed,refused")).total).toMatchObject({ requests: 1, errors: 1 });
    const told = await summary("by=status&include=latency");
    const percentiles = { p50: expect.any(Number), p95: expect.any(Number) };
    const none = { latency_ms: null, time_to_first_byte_ms: null };
    const some = { latency_ms: percentiles, time_to_first_byte_ms: percentiles };
    expect(told.data).toMatchObject([
      { status: "failed", ...none },
      { status: "succeeded", ...some },
    ]);
    expect(told.total).toMatchObject({ ...some, cache_saved_microusd: 0 });
    expect((await summary("")).total).not.toHaveProperty("latency_ms");
  });

  test("agrees with the list, for operators too", async () => {
    const list = (await (await ask("/api/usage/requests?limit=1000")).json()) as {
      data: { billing: { amount_microusd: number } }[];
    };
    const sum = list.data.reduce((total, { billing }) => total + billing.amount_microusd, 0);
    const path = "/api/admin/usage/summary";
    for (const total of [
      (await summary("")).total,
      (await summary(`key=${key.id}`, operator, path)).total,
      (await summary("account=default&by=hour", operator, path)).total,
    ]) {
      expect(total).toMatchObject({ requests: list.data.length, amount_microusd: sum });
    }
    expect((await ask(path)).status).toBe(403);
  });

  test.each([
    ["by=year", "by"],
    ["by=day,day", "by"],
    ["by=", "by"],
    ["by=tag:", "by"],
    ["time_zone=Mars/Olympus", "time_zone"],
    ["from=x", "from"],
    ["limit=5", "limit"],
    ["include=cost", "include"],
    ["include=latency&by=end_user", "include"],
    ["include=latency&tag:team=search", "include"],
    ["min_latency_ms=5", "min_latency_ms"],
    ["status=failed,failed", "status"],
  ])("refuses ?%s and names the parameter", async (query, param) => {
    const response = await ask(`/api/usage/summary?${query}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { param } });
  });

  test("exports JSON lines that are the records of the list", async () => {
    const response = await ask("/api/usage/export?format=jsonl");
    expect(response.headers.get("content-type")).toBe("application/jsonl");
    const lines = (await response.text()).trimEnd().split("\n");
    const list = (await (await ask("/api/usage/requests")).json()) as { data: unknown[] };
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(list.data);
  });

  test("exports CSV in whole micro-USD, without formulas", async () => {
    const response = await ask("/api/usage/export?format=csv&model=sandbox-chat");
    expect(response.headers.get("content-disposition")).toBe('attachment; filename="usage.csv"');
    const [head = "", ...rows] = (await response.text()).trimEnd().split("\r\n");
    const place = head.split(",").indexOf("amount_microusd");
    expect(rows.map((row) => row.split(",")[place])).toEqual(["0", "270", "270"]);
    expect(rows[1]).toContain('"{""team"":""=2+5""}"');
  });

  test("exports the columns that FOCUS asks for, a row for each line item", async () => {
    expect(focusColumns).toEqual(expect.arrayContaining(mandatoryColumns));
    expect(focusColumns.filter((name) => !name.startsWith("x_"))).toEqual(
      focusColumns.filter((name) => !name.startsWith("x_")).toSorted((a, b) => (a < b ? -1 : 1)),
    );
    const whole = await (await ask("/api/usage/export?format=focus")).text();
    // The details of a price are there if it has an id. No other cell has a comma in it.
    expect(whole).toContain('""x_Dimension"":""input""');
    const text = whole.replaceAll(/"\{(?:[^"]|"")*\}"/g, "{}");
    const [head = "", ...rows] = text.trimEnd().split("\r\n");
    expect(head.split(",")).toEqual([...focusColumns]);
    expect(rows).toHaveLength(10);
    const read = Object.fromEntries(
      head.split(",").map((name, index) => [name, rows.find((row) => row.includes(": input"))?.split(",")[index]]),
    );
    expect(read).toMatchObject({
      BilledCost: "0.00025",
      EffectiveCost: "0.00025",
      BillingAccountId: "default",
      BillingCurrency: "USD",
      BillingPeriodStart: "2026-11-01T00:00:00Z",
      BillingPeriodEnd: "2026-12-01T00:00:00Z",
      ChargeCategory: "Usage",
      ConsumedQuantity: "1000",
      ConsumedUnit: "Tokens",
      PricingQuantity: "0.001",
      PricingUnit: "1000000 Tokens",
      ServiceCategory: "AI and Machine Learning",
      SubAccountId: key.id,
    });
    // Conditions of the specification that hold in every row.
    for (const row of rows) {
      const cell = (name: string) => row.split(",")[focusColumns.indexOf(name)] ?? "";
      expect(cell("ChargePeriodStart") < cell("ChargePeriodEnd")).toBe(true);
      expect(Number(cell("BilledCost"))).toBeGreaterThanOrEqual(0);
    }
  });

  test("refuses a format that it does not know", async () => {
    const response = await ask("/api/usage/export?format=xlsx");
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { param: "format" } });
    expect((await ask("/api/admin/usage/export")).status).toBe(403);
    expect((await (await ask("/api/admin/usage/export?format=jsonl", operator)).text()).split("\n")).toHaveLength(7);
  });
});

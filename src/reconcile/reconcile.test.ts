import { describe, expect, test } from "bun:test";
import { exampleRecord } from "../records/example-record.testkit.ts";
import type { UsageRecord } from "../records/record.ts";
import { addCalls, type OwnCosts } from "./own-costs.ts";
import { readExport } from "./read-export.ts";
import { reconcile } from "./reconcile.ts";

const columns = { day: "date", model: "model", cost: "usd" };
const read = (...rows: string[]) => Object.fromEntries(readExport(["date,model,usd", ...rows].join("\n"), columns));

describe("an export", () => {
  test("is summed up by day and model, and rounded once", () => {
    expect(
      read(
        "2026-01-31,m,0.0000004",
        "2026-01-31T23:59:59Z,m,0.0000004",
        "2026-02-01 00:00:00,m,$1.5",
        "1769904000,n,1e-3",
      ),
    ).toEqual({ "2026-01-31\tm": 1, "2026-02-01\tm": 1_500_000, "2026-02-01\tn": 1_000 });
    expect(read("2026-01-31,m,-0.25", "2026-01-31,m,1.000000000001", "2026-01-31,m,")).toEqual({
      "2026-01-31\tm": 750_000,
    });
  });

  test.each([
    ["yesterday,m,1", "Row 2 has no date in 'date'"],
    ["2026-01-31,m,free", "Row 2 has no amount in USD in 'usd': 'free'"],
    ["2026-01-31,m,NaN", "Row 2 has no amount in USD"],
    ['2026-01-31,"m,1', "line 2"],
    ["2026-02-30,m,1", "Row 2 has no date"],
    ["2026-01-31,m,1e60", "Row 2 has no amount"],
    ["2026-01-31,m", "Row 2 has no amount in USD in 'usd'"],
    ["2026-01-31", "Row 2 has no model in 'model'"],
  ])("with %p is refused by its row", (row, message) => {
    expect(() => read(row)).toThrow(message);
  });

  test("credits are rounded half up, like charges", () => {
    const rows = ["2026-01-31,a,-3", "2026-01-31,b,-0.0000015", "2026-01-31,c,-0.0000016", "2026-01-31,d,0.0000015"];
    expect(Object.values(read(...rows))).toEqual([-3_000_000, -1, -2, 2]);
  });

  test("with two columns of a name that is asked for is refused", () => {
    const message = "The file has 2 columns 'usd'.";
    expect(() => readExport("date,model,usd,usd,note,note\n2026-01-31,m,1,2,a,b", columns)).toThrow(message);
    expect(readExport("date,model,usd,note,note\n2026-01-31,m,1,a,b", columns).size).toBe(1);
  });

  test("without a column is refused by its name", () => {
    expect(() => readExport("date,model\n", columns)).toThrow("The file has no column 'usd'. It has: date, model.");
    expect(() => readExport("", columns)).toThrow("The file is empty.");
  });
});

const [attempt] = exampleRecord().attempts;
if (attempt === undefined) throw new Error("The example has no attempt.");

/** A record of one call on a day of January 2026 that should have cost so much. */
function call(day: number, microusd: number, change: Partial<UsageRecord> = {}, cost = attempt?.cost ?? "measured") {
  const createdAt = Date.UTC(2026, 0, day, 12);
  const attempts = [{ ...(attempt as NonNullable<typeof attempt>), upstreamModel: "m", costMicrousd: microusd, cost }];
  return exampleRecord({ createdAt, attempts, ...change });
}

function causes(rows: string[], records: readonly UsageRecord[]) {
  const own = new Map<string, OwnCosts>();
  for (const record of records) addCalls(own, record, "openai");
  const text = ["date,model,usd", ...rows].join("\n");
  return reconcile(readExport(text, columns), own).map(({ day, differenceMicrousd, cause }) => [
    day.slice(-2),
    differenceMicrousd,
    cause,
  ]);
}

describe("the likely cause of a difference", () => {
  test("is none within the rounding of each call", () => {
    expect(causes(["2026-01-01,m,0.000102"], [call(1, 50), call(1, 50)])).toEqual([["01", 2, "none"]]);
    expect(causes(["2026-01-01,m,0"], [])).toEqual([["01", 0, "none"]]);
  });

  test("is told for the whole name of a model", () => {
    const [difference] = reconcile(readExport("date,model,usd\n2026-01-01,m\tlarge,1", columns), new Map());
    expect(difference?.model).toBe("m\tlarge");
  });

  test("is a key used outside if nothing was called, or the ratio is another one every day", () => {
    expect(causes(["2026-01-01,m,1"], [])).toEqual([["01", 1_000_000, "key_used_outside"]]);
    const rows = ["2026-01-01,m,0.0002", "2026-01-02,m,0.0005"];
    expect(causes(rows, [call(1, 100), call(2, 100)])).toEqual([
      ["01", 100, "key_used_outside"],
      ["02", 400, "key_used_outside"],
    ]);
  });

  test("is an old price if the ratio is the same on all days, or less was charged", () => {
    const rows = ["2026-01-01,m,0.2", "2026-01-02,m,0.4"];
    expect(causes(rows, [call(1, 100_000), call(2, 200_000)])).toEqual([
      ["01", 100_000, "price_out_of_date"],
      ["02", 200_000, "price_out_of_date"],
    ]);
    expect(causes(["2026-01-01,m,0.05"], [call(1, 100_000)])).toEqual([["01", -50_000, "price_out_of_date"]]);
  });

  test("is a model without a price", () => {
    const { billing } = exampleRecord();
    const unpriced = call(1, 0, { billing: { ...billing, status: "unpriced", amountMicrousd: 0, lineItems: [] } });
    expect(causes(["2026-01-01,m,0.2"], [unpriced])).toEqual([["01", 200_000, "unpriced"]]);
  });

  test("is the service tier that an answer names", () => {
    const flex = { family: "openai-chat", rawFields: { service_tier: "flex" } };
    expect(causes(["2026-01-01,m,0.05"], [call(1, 100_000, { providerUsage: flex })])).toEqual([
      ["01", -50_000, "service_tier"],
    ]);
  });

  test("is what was estimated of streams that were broken off, up to the estimate", () => {
    const records = [call(1, 100_000), call(1, 30_000, { status: "cancelled" }, "estimated")];
    expect(causes(["2026-01-01,m,0.14"], records)).toEqual([["01", 10_000, "aborted_stream"]]);
  });

  test("is the export if the day or the model is not in it", () => {
    expect(causes(["2026-01-01,n,0"], [call(1, 100)])).toEqual([
      ["01", -100, "not_in_export"],
      ["01", 0, "none"],
    ]);
  });

  test("other providers' calls do not count", () => {
    const own = new Map<string, OwnCosts>();
    addCalls(own, call(1, 100), "anthropic");
    expect(own.size).toBe(0);
  });
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { exampleKey } from "../access/key.testkit.ts";
import { tester } from "../changes/actor.testkit.ts";
import { newRequestId } from "../identifiers.ts";
import { exampleRecord, insertRecords } from "../records/example-record.testkit.ts";
import { openStorage } from "../storage/open-storage.ts";
import { createCommandDirectory, type CommandDirectory } from "./command.testkit.ts";

let program: CommandDirectory;
let environment: Record<string, string>;
const run = (...words: string[]) => program.run(["usage", ...words], environment);

beforeAll(async () => {
  program = await createCommandDirectory();
  const url = `sqlite:${join(program.directory, "usage.db")}`;
  environment = { TOLLGATE_STORAGE_URL: url };
  const storage = await openStorage(url);
  const records = ["2026-10-31T23:30:00Z", "2026-11-01T10:00:00Z", "2026-11-02T10:00:00Z"].map((time, place) => {
    const createdAt = Date.parse(time);
    return exampleRecord({ id: newRequestId(createdAt), createdAt, model: place === 2 ? "gpt-5" : "gpt-5-mini" });
  });
  await insertRecords(storage.records, records);
  await storage.keys.insert(exampleKey({ id: "k123456789" }), tester);
  await storage.close();
});
afterAll(async () => {
  await program.remove();
});

describe("tollgate usage", () => {
  test("shows months and models, and a total", async () => {
    const { stdout, exitCode } = await run();
    expect(exitCode).toBe(0);
    expect(stdout.split("\n").map((line) => line.split(/ +/))).toEqual([
      ["MONTH", "MODEL", "REQUESTS", "ERRORS", "TOKENS", "USD"],
      ["2026-10", "gpt-5-mini", "1", "0", "1274", "0.000751"],
      ["2026-11", "gpt-5", "1", "0", "1274", "0.000751"],
      ["2026-11", "gpt-5-mini", "1", "0", "1274", "0.000751"],
      ["total", "3", "0", "3822", "0.002253"],
      [""],
    ]);
  });

  test("takes what the API takes, as JSON too", async () => {
    const words = [
      "--by",
      "day",
      "--from",
      "2026-11-01",
      "--time-zone",
      "Europe/Berlin",
      "--key",
      "k123456789",
      "--json",
    ];
    expect(JSON.parse((await run(...words)).stdout)).toMatchObject({
      object: "usage.summary",
      data: [
        { day: "2026-11-01", requests: 2 },
        { day: "2026-11-02", requests: 1 },
      ],
      total: { requests: 3, amount_microusd: 2_253 },
    });
  });

  test.each([
    [["--by", "year"], "'by'"],
    [["--from", "soon"], "'from'"],
    [["--time-zone", "Mars/X"], "'time_zone'"],
  ])("refuses %j with 2", async (words, named) => {
    const { exitCode, stderr } = await run(...words);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(named);
  });

  test.each([
    [["--key", "nobody0000"], "unknown key ID nobody0000"],
    [["--key", "sk-tg-nobody0000-secret"], "unknown key ID. "],
    [["--account", "nobody"], "unknown account"],
  ])("fails for %j", async (words, message) => {
    const { exitCode, stderr } = await run(...words);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain("secret");
  });
});

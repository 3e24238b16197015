import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { newRequestId } from "../identifiers.ts";
import { exampleRecord, insertRecords } from "../records/example-record.testkit.ts";
import { openStorage } from "../storage/open-storage.ts";
import { type CommandDirectory, createCommandDirectory } from "./command.testkit.ts";

let program: CommandDirectory;
const environment: Record<string, string> = {};

/** 2,500 calls of 751 micro-USD on the second of January, so that several batches are read, and one on the third. */
beforeAll(async () => {
  program = await createCommandDirectory();
  environment.TOLLGATE_STORAGE_URL = `sqlite:${join(program.directory, "book.db")}`;
  const storage = await openStorage(environment.TOLLGATE_STORAGE_URL);
  const at = (createdAt: number) => exampleRecord({ id: newRequestId(createdAt), createdAt });
  const second = Date.UTC(2026, 0, 2);
  const records = Array.from({ length: 2_500 }, (_, index) => at(second + index));
  await insertRecords(storage.records, [...records, at(second + 24 * 3_600_000 - 1), at(second + 24 * 3_600_000)]);
  await storage.close();
});
afterAll(() => program.remove());

const options = ["--provider", "openai", "--day", "Date", "--model", "Model", "--cost", "Cost (USD)"];

async function reconcile(csv: string, ...more: string[]) {
  await writeFile(join(program.directory, "usage.csv"), csv);
  return program.run(["reconcile", "usage.csv", ...options, ...more], environment);
}

test("the export of a provider is compared with the records of its days", async () => {
  const csv = `Date,Model,"Cost (USD)",Other
2026-01-02,gpt-5-mini-2026,1.878251,x
2026-01-02,"o9, preview",0.5,y
`;
  const { exitCode, stdout, stderr } = await reconcile(csv, "--json");
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "tollgate: note: no provider 'openai' is configured\n" });
  expect(JSON.parse(stdout)).toEqual({
    object: "reconciliation",
    provider: "openai",
    provider_microusd: 2_378_251,
    own_microusd: 1_878_251,
    difference_microusd: 500_000,
    data: [
      {
        day: "2026-01-02",
        model: "gpt-5-mini-2026",
        calls: 2_501,
        provider_microusd: 1_878_251,
        own_microusd: 1_878_251,
        difference_microusd: 0,
        cause: null,
      },
      {
        day: "2026-01-02",
        model: "o9, preview",
        calls: 0,
        provider_microusd: 500_000,
        own_microusd: 0,
        difference_microusd: 500_000,
        cause: "key_used_outside",
      },
    ],
  });
  const shown = (await reconcile(csv)).stdout;
  expect(shown).toMatch(/^2026-01-02 +gpt-5-mini-2026 +2501 +1\.878251 +1\.878251 +0\.00$/m);
  expect(shown).toMatch(/o9, preview +0 +0\.50 +0\.00 +0\.50 +the provider's key is used outside of this gateway$/m);
}, 60_000);

test.each([
  ["Date,Model\n", "usage.csv: The file has no column 'Cost (USD)'. It has: Date, Model."],
  ["Date,Model,Cost (USD)\n2026-13-45,m,1\n", "Row 2 has no date in 'Date'"],
  ['Date,Model,Cost (USD)\n"2026', "The quote in line 2 is not closed."],
])("a file that cannot be read is refused: %j", async (csv, message) => {
  const { exitCode, stderr } = await reconcile(csv);
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining(message) });
});

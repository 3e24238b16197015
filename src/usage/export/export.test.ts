import { expect, test } from "bun:test";
import { encodeRecord } from "../../records/public-record.ts";
import { exampleRecord } from "../../records/example-record.testkit.ts";
import { allRecords, type UsageStore } from "../usage-store.ts";
import { exportRecords, readFormat } from "./export.ts";

test("others are served while many records are exported to a caller that reads quickly", async () => {
  const records = Array.from({ length: 2_200 }, () => exampleRecord());
  const store: Pick<UsageStore, "list"> = {
    list: (_filter, { limit, before }) => {
      const from = before === null ? 0 : records.findIndex(({ id }) => id === before) + 1;
      return Promise.resolve(records.slice(from, from + limit));
    },
  };
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const format = readFormat(new URLSearchParams("format=jsonl"));
  let text = "";
  for await (const piece of exportRecords(store, allRecords, format, { hideProvider: false, encode: encodeRecord })) {
    text += piece;
  }
  isDone = true;
  const ids = text
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as { readonly id: string }).id);
  expect(ids).toEqual(records.map(({ id }) => id));
  expect(turns).toBeGreaterThanOrEqual(20);
});

import { describe, expect, test } from "bun:test";
import { type Evidence, judgeRecords } from "./judge-records.ts";
import type { StoredRecord } from "./evidence.ts";
import type { Observation } from "./ledger.ts";

const keyIds = { plain: "k1", leaving: "k2" };

/** Ten input tokens and one output token of `steady`: 10 x 1 + 1 x 2 micro-USD. */
const answered: Observation = {
  id: "req_1",
  keyName: "plain",
  status: 200,
  code: null,
  ending: "whole",
  usage: { input: 10, output: 1 },
  attempts: 1,
  isReplay: false,
};
const charged: StoredRecord = {
  id: "req_1",
  key_id: "k1",
  status: "succeeded",
  status_code: 200,
  amount_microusd: 12,
  input_tokens: 10,
  output_tokens: 1,
  resolved_model: "steady",
  attempts: 1,
};

function failing(evidence: Partial<Evidence> & { readonly observations?: readonly Observation[] }): string[] {
  const { observations = [answered], records = [charged] } = evidence;
  const log = evidence.log ?? { settled: records.map(({ id }) => id) };
  const ledger = evidence.ledger ?? { observations, leftUnseen: 0 };
  return judgeRecords({ ledger, records, log, keyIds })
    .filter(({ ok }) => ok === false)
    .map(({ name }) => name);
}

describe("judgeRecords", () => {
  test("passes if each answer has its record and price", () => {
    expect(failing({})).toEqual([]);
  });

  test("fails if a record is missing", () => {
    expect(failing({ observations: [answered, { ...answered, id: "req_2" }] })).toEqual([
      "every observed request has its record",
    ]);
  });

  test("fails if a request refused by a limit has a record", () => {
    const refused = { ...answered, id: "req_2", status: 429, ending: "refused", usage: null } as const;
    const record = { ...charged, id: "req_2", status: "refused", amount_microusd: 0 };
    const evidence = { observations: [answered, refused], records: [charged, record] };
    expect(failing(evidence)).toEqual(["requests refused by a limit have no record"]);
  });

  test("fails for a record without a request, unless its caller disconnected", () => {
    const record = { ...charged, id: "req_2", key_id: "k2", status: "cancelled" };
    const records = [charged, record];
    expect(failing({ records })).toEqual(["other records are of callers that disconnected"]);
    expect(failing({ records, ledger: { observations: [answered], leftUnseen: 1 } })).toEqual([]);
  });

  test("fails if a request was settled twice, or its log line is missing", () => {
    expect(failing({ log: { settled: ["req_1", "req_1"] } })).toEqual(["each request is settled once"]);
    expect(failing({ log: { settled: [] } })).toEqual(["each request is settled once"]);
  });

  test("fails if an amount differs from the usage", () => {
    const wrong = failing({ records: [{ ...charged, amount_microusd: 13 }] });
    expect(wrong).toEqual(["charges equal the usage in the answers", "key plain: the sum is right"]);
  });

  test("fails if a failure is charged", () => {
    const failed = { ...answered, id: "req_2", ending: "failed" } as const;
    const record = { ...charged, id: "req_2", status: "failed" };
    expect(failing({ observations: [answered, failed], records: [charged, record] })).toEqual(["failures are free"]);
  });

  test("does not require a record for a replay", () => {
    expect(failing({ observations: [answered, { ...answered, isReplay: true }] })).toEqual([]);
  });
});

import { describe, expect, test } from "bun:test";
import { type Evidence, judgeRecords } from "./judge-records.ts";
import type { KeptRecord } from "./kept.ts";
import type { Sighting } from "./ledger.ts";

const keyIds = { plain: "k1", leaving: "k2" };

/** Ten tokens read and one written by the model `steady`: 10 x 1 + 1 x 2 micro-USD. */
const answered: Sighting = {
  id: "req_1",
  keyName: "plain",
  status: 200,
  code: null,
  ending: "whole",
  usage: { input: 10, output: 1 },
  attempts: 1,
  isReplay: false,
};
const charged: KeptRecord = {
  id: "req_1",
  key_id: "k1",
  status: "succeeded",
  status_code: 200,
  amount_microusd: 12,
  input_tokens: 10,
  output_tokens: 1,
  resolved_model: "steady",
  attempts: 1,
  isSuspect: false,
};

function failing(evidence: Partial<Evidence> & { readonly sightings?: readonly Sighting[] }): string[] {
  const { sightings = [answered], records = [charged] } = evidence;
  const log = evidence.log ?? { settled: records.map(({ id }) => id) };
  const ledger = evidence.ledger ?? { sightings, leftUnseen: 0 };
  return judgeRecords({ ledger, records, log, keyIds })
    .filter(({ ok }) => ok === false)
    .map(({ name }) => name);
}

describe("records against requests", () => {
  test("agree if each answer has its record and its price", () => {
    expect(failing({})).toEqual([]);
  });

  test("agree if an impossible count was bounded, and differ if it was bounded without saying so", () => {
    const sightings = [{ ...answered, usage: { input: 10, output: 500_000 } }];
    expect(failing({ sightings, records: [{ ...charged, isSuspect: true }] })).toEqual([]);
    expect(failing({ sightings })).toContain("charges match the callers' count");
  });

  test("differ if one is lost", () => {
    expect(failing({ sightings: [answered, { ...answered, id: "req_2" }] })).toEqual([
      "every request seen has its record",
    ]);
  });

  test("differ if a request refused by a limit has one", () => {
    const refused = { ...answered, id: "req_2", status: 429, ending: "refused", usage: null } as const;
    const record = { ...charged, id: "req_2", status: "refused", amount_microusd: 0 };
    const evidence = { sightings: [answered, refused], records: [charged, record] };
    expect(failing(evidence)).toEqual(["requests turned away by a limit have no record"]);
  });

  test("differ if one has no request, unless its caller disconnected", () => {
    const record = { ...charged, id: "req_2", key_id: "k2", status: "cancelled" };
    const records = [charged, record];
    expect(failing({ records })).toEqual(["other records belong to callers that left"]);
    expect(failing({ records, ledger: { sightings: [answered], leftUnseen: 1 } })).toEqual([]);
  });

  test("differ if one was settled twice, or its log line is missing", () => {
    expect(failing({ log: { settled: ["req_1", "req_1"] } })).toEqual(["each request is settled once"]);
    expect(failing({ log: { settled: [] } })).toEqual(["each request is settled once"]);
  });

  test("differ if an amount is not the caller's count", () => {
    const wrong = failing({ records: [{ ...charged, amount_microusd: 13 }] });
    expect(wrong).toEqual(["charges match the callers' count", "key plain: the sum is right"]);
  });

  test("differ if a failure has a charge", () => {
    const failed = { ...answered, id: "req_2", ending: "failed" } as const;
    const record = { ...charged, id: "req_2", status: "failed" };
    expect(failing({ sightings: [answered, failed], records: [charged, record] })).toEqual(["failures are free"]);
  });

  test("agree if a replay has no record", () => {
    expect(failing({ sightings: [answered, { ...answered, isReplay: true }] })).toEqual([]);
  });
});

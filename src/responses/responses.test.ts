import { expect, test } from "bun:test";
import type { JsonObject } from "../json/values.ts";
import { failureOf } from "../records/failure-of.testkit.ts";
import { createResponses } from "./responses.ts";
import type { ResponseStore, StoredResponse } from "./response-store.ts";

const keyId = "key0000001";

/** A store in memory without expiry, whose methods a test can replace. */
function memory(change: Partial<ResponseStore> = {}, now = () => 5_000) {
  const kept = new Map<string, StoredResponse>();
  const places = new Map<string, string>();
  const store: ResponseStore = {
    insert(response, outputIds) {
      kept.set(response.id, response);
      for (const id of outputIds) places.set(id, response.id);
    },
    find: async (_, id) => kept.get(id) ?? null,
    async findConversation(_, id) {
      const turns: StoredResponse[] = [];
      for (let turn = kept.get(id); turn; turn = kept.get(turn.previousId ?? "")) turns.unshift(turn);
      return turns;
    },
    findByOutput: async (_, ids) => ids.flatMap((id) => kept.get(places.get(id) ?? "") ?? []),
    delete: async (_, id) => kept.delete(id),
    deleteExpired: async () => 0,
    ...change,
  };
  const responses = createResponses({
    store,
    clock: { now },
    retentionMs: 1_000,
    maxConversationSize: 2_000,
    isStoreAway: () => false,
  });
  const answer = async (id: string, input: unknown, previousId: string | null = null, provider = "acme") => {
    const recalled = await responses.recall(keyId, { previousId, input });
    await responses.keep({ keyId, response: { id, output: [said(id)] }, recalled, provider });
  };
  return { kept, responses, answer };
}

function said(responseId: string): JsonObject {
  return { id: `msg_${responseId}`, type: "message", role: "assistant", content: [] };
}

test("a response is stored with its place in the conversation and its size", async () => {
  const { kept, answer } = memory();
  await answer("resp_a", "One");
  await answer("resp_b", [{ role: "user", content: "Two" }], "resp_a");
  expect(kept.get("resp_a")).toMatchObject({ rootId: "resp_a", previousId: null, createdAt: 5_000, input: '"One"' });
  expect(kept.get("resp_b")).toMatchObject({ rootId: "resp_a", previousId: "resp_a" });
  const [first, second] = [kept.get("resp_a"), kept.get("resp_b")];
  const sizeOf = (turn: StoredResponse | undefined) => (turn?.input.length ?? 0) + (turn?.response.length ?? 0);
  expect(first?.conversationSize).toBe(sizeOf(first));
  expect(second?.conversationSize).toBe(sizeOf(first) + sizeOf(second));
});

test("recalled items have their provider", async () => {
  const { responses, answer } = memory();
  await answer("resp_a", "One", null, "acme");
  await answer("resp_b", "Two", "resp_a", "other");
  const recalled = await responses.recall(keyId, {
    previousId: "resp_b",
    input: [
      { type: "item_reference", id: "msg_resp_a" },
      { role: "user", content: "Three" },
    ],
  });
  expect(recalled.history).toEqual([
    { type: "message", role: "user", content: "One" },
    said("resp_a"),
    { type: "message", role: "user", content: "Two" },
    said("resp_b"),
  ]);
  expect(recalled.input).toEqual([said("resp_a"), { role: "user", content: "Three" }]);
  expect(recalled.history.map((item) => recalled.makers.get(item))).toEqual(["acme", "acme", "other", "other"]);
  expect([...recalled.makers.values()]).toHaveLength(5);
});

test("a request without references does not call the store", async () => {
  const fail = () => Promise.reject(new Error("asked"));
  const { responses } = memory({ find: fail, findConversation: fail, findByOutput: fail });
  const input = [{ role: "user", content: "Hi" }];
  expect(await responses.recall(keyId, { previousId: null, input })).toEqual({
    previous: null,
    history: [],
    input,
    makers: new Map(),
  });
});

test("a conversation that is too large is not continued", async () => {
  const { responses, answer } = memory();
  await answer("resp_a", "x".repeat(1_990));
  const going = responses.recall(keyId, { previousId: "resp_a", input: "More" });
  expect(await failureOf(going)).toMatchObject({ status: 413, param: "previous_response_id" });
});

test("too many references are refused before the store is called", async () => {
  const { responses } = memory();
  const input = Array.from({ length: 1_001 }, (_, index) => ({ type: "item_reference", id: `msg_${index}` }));
  expect(await failureOf(responses.recall(keyId, { previousId: null, input }))).toMatchObject({ param: "input" });
});

test("a failing store is a 503 for all methods", async () => {
  const fail = () => Promise.reject(new Error("connection lost to postgres://secret"));
  const { responses } = memory({ insert: fail, find: fail, findConversation: fail, findByOutput: fail, delete: fail });
  const recalled = await responses.recall(keyId, { previousId: null, input: "Hi" });
  for (const asking of [
    () => responses.recall(keyId, { previousId: "resp_a", input: "Hi" }),
    () => responses.recall(keyId, { previousId: null, input: [{ type: "item_reference", id: "msg_1" }] }),
    () => responses.keep({ keyId, response: { id: "resp_a" }, recalled, provider: "acme" }),
    () => responses.find(keyId, "resp_a"),
    () => responses.inputItems(keyId, "resp_a"),
    () => responses.delete(keyId, "resp_a"),
  ]) {
    expect(await failureOf(asking())).toMatchObject({
      status: 503,
      code: "storage_unavailable",
      message: expect.not.stringContaining("secret"),
    });
  }
});

test("after an answer could not be stored no provider is asked for another one, for a moment", async () => {
  let now = 5_000;
  let isAway = true;
  const insert = () => (isAway ? Promise.reject(new Error("locked")) : undefined);
  const { responses, answer } = memory({ insert }, () => now);
  const refusal = { status: 503, code: "storage_unavailable" };
  responses.checkRoom();
  expect(await failureOf(answer("resp_a", "One"))).toMatchObject(refusal);
  expect(() => responses.checkRoom()).toThrow(expect.objectContaining(refusal));
  now += 1_000;
  responses.checkRoom();
  expect(await failureOf(answer("resp_a", "One"))).toMatchObject(refusal);
  isAway = false;
  await answer("resp_b", "Two");
  responses.checkRoom();
});

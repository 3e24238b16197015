import { expect, test } from "bun:test";
import type { ResponseStore, StoredResponse } from "../../responses/response-store.ts";

let last = 0;
function exampleResponse(change: Partial<StoredResponse> = {}): StoredResponse {
  last += 1;
  const id = `resp_${last}`;
  return {
    id,
    keyId: "key0000001",
    previousId: null,
    rootId: id,
    createdAt: 1_000,
    provider: "acme",
    conversationSize: 100,
    input: '"Zoë \\u0000 says"',
    response: `{"id":"${id}"}`,
    ...change,
  };
}

/** The answer to the last message. */
function next(previous: StoredResponse, change: Partial<StoredResponse> = {}): StoredResponse {
  const { rootId, conversationSize } = previous;
  return exampleResponse({ previousId: previous.id, rootId, conversationSize: conversationSize + 100, ...change });
}

/** A moment before anything here was made. */
const always = 0;

/** Tests that every store of responses must pass. */
export function responseContract(stored: () => ResponseStore): void {
  const insertAll = async (...responses: StoredResponse[]) => {
    for (const response of responses) await stored().insert(response, []);
  };
  const idsOf = (responses: readonly StoredResponse[]) => responses.map(({ id }) => id);

  test("a response is returned unchanged, to its own key", async () => {
    const response = next(exampleResponse(), { createdAt: 1_700_000_000_000, conversationSize: 3_000_000_000 });
    await insertAll(response);
    expect(await stored().find(response.keyId, response.id, always)).toEqual(response);
    expect(await stored().find("key0000002", response.id, always)).toBeNull();
    expect(await stored().find(response.keyId, "resp_none", always)).toBeNull();
    expect(await stored().findConversation("key0000002", response.id, always, 1e9)).toEqual([]);
    expect(await stored().delete("key0000002", response.id, always)).toBe(false);
  });

  test("two keys may have the same id, and a key's first stands", async () => {
    const first = exampleResponse({ id: "resp_same", rootId: "resp_same" });
    const other = { ...first, keyId: "key0000002", provider: "other" };
    await stored().insert(first, ["msg_first"]);
    await stored().insert(other, []);
    await stored().insert({ ...first, provider: "second" }, ["msg_second"]);
    expect(await stored().find(first.keyId, "resp_same", always)).toEqual(first);
    expect(await stored().findByOutput(first.keyId, ["msg_second"], always)).toEqual([]);
    expect(await stored().find("key0000002", "resp_same", always)).toEqual(other);
  });

  test("a conversation is the chain that led to a response, oldest first, without other branches", async () => {
    const first = exampleResponse();
    const second = next(first);
    const [third, branch] = [next(second), next(second)];
    await insertAll(first, second, third, branch);
    const conversation = await stored().findConversation(first.keyId, third.id, always, 1e9);
    expect(conversation).toEqual([first, second, third]);
    expect(idsOf(await stored().findConversation(first.keyId, branch.id, always, 1e9))).toEqual([
      first.id,
      second.id,
      branch.id,
    ]);
    expect(idsOf(await stored().findConversation(first.keyId, third.id, always, 300))).toHaveLength(3);
    expect(idsOf(await stored().findConversation(first.keyId, third.id, always, 299))).toEqual([third.id]);
  });

  test("a conversation whose middle was deleted lacks its beginning", async () => {
    const first = exampleResponse();
    const second = next(first);
    const third = next(second);
    await insertAll(first, second, third);
    expect(await stored().delete(first.keyId, second.id, always)).toBe(true);
    expect(await stored().delete(first.keyId, second.id, always)).toBe(false);
    expect(idsOf(await stored().findConversation(first.keyId, third.id, always, 1e9))).toEqual([third.id]);
    expect(await stored().find(first.keyId, first.id, always)).toEqual(first);
  });

  test("a response that claims to continue itself is walked once", async () => {
    const circle = exampleResponse({ id: "resp_circle", previousId: "resp_circle" });
    await insertAll(circle);
    expect(await stored().findConversation(circle.keyId, "resp_circle", always, 1e9)).toEqual([circle]);
  });

  test("an item of an output is found until its response is deleted", async () => {
    const store = stored();
    const [first, second] = [exampleResponse(), exampleResponse()];
    const stranger = exampleResponse({ keyId: "key0000002" });
    await store.insert(first, ["msg_a", "rs_a"]);
    await store.insert(first, ["msg_a", "rs_a"]);
    await store.insert(second, ["msg_b"]);
    await store.insert(stranger, ["msg_b", "msg_c"]);
    const find = async (...ids: string[]) => idsOf(await store.findByOutput(first.keyId, ids, always));
    expect(await find("rs_a")).toEqual([first.id]);
    expect((await find("rs_a", "msg_a", "msg_b", "msg_c")).toSorted()).toEqual([first.id, second.id].toSorted());
    expect(await find()).toEqual([]);
    await store.delete(first.keyId, first.id, always);
    expect(await find("rs_a", "msg_b")).toEqual([second.id]);
  });

  test("a conversation is gone as a whole, when nothing has been added to it for long enough", async () => {
    const store = stored();
    const old = exampleResponse({ keyId: "aging00000", createdAt: 10 });
    const follow = next(old, { keyId: "aging00000", createdAt: 20 });
    await store.insert(old, ["msg_old"]);
    await store.insert(follow, []);
    expect(await store.find("aging00000", old.id, 20)).toEqual(old);
    expect(await store.findConversation("aging00000", follow.id, 20, 1e9)).toHaveLength(2);
    expect(await store.findByOutput("aging00000", ["msg_old"], 20)).toHaveLength(1);
    expect(await store.deleteExpired(20, 10)).toBe(0);

    expect(await store.find("aging00000", follow.id, 21)).toBeNull();
    expect(await store.findConversation("aging00000", follow.id, 21, 1e9)).toEqual([]);
    expect(await store.findByOutput("aging00000", ["msg_old"], 21)).toEqual([]);
    expect(await store.delete("aging00000", follow.id, 21)).toBe(false);
  });

  test("expired data is removed in batches, and nothing else", async () => {
    const store = stored();
    const gone = Array.from({ length: 5 }, (_, index) =>
      exampleResponse({ keyId: "gone000000", createdAt: 100 + index }),
    );
    const alive = exampleResponse({ keyId: "gone000000", createdAt: 900 });
    for (const response of [...gone, alive]) await store.insert(response, [`msg_of_${response.id}`]);
    // Other tests of this file leave conversations from moments 10 and 20.
    while ((await store.deleteExpired(100, 10)) > 0);
    expect(await store.deleteExpired(900, 2)).toBe(2);
    expect(await store.deleteExpired(900, 2)).toBe(2);
    expect(await store.deleteExpired(900, 2)).toBe(1);
    expect(await store.deleteExpired(900, 2)).toBe(0);
    for (const response of gone) {
      expect(await store.find("gone000000", response.id, always)).toBeNull();
      expect(await store.findByOutput("gone000000", [`msg_of_${response.id}`], always)).toEqual([]);
    }
    expect(await store.find("gone000000", alive.id, always)).toEqual(alive);
  });
}

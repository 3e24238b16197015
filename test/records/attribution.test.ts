import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "../../src/json/values.ts";
import { callers } from "../dialects/callers.testkit.ts";
import { dialects, embeddingModelOf, modelOf, startDialectGateway } from "../dialects/gateway.testkit.ts";
import { requestIdOf } from "../dialects/post.testkit.ts";
import type { TestGateway } from "../gateway.testkit.ts";

/** For whom a request is: from headers and bodies of every dialect into its record. */

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startDialectGateway();
});
afterAll(() => gateway.stop());

const hash = "5dd07c33da27e6d2968d94ea20bf47a7b090b6b158b82328d54da2909a108e84";
const session = "d2e70091-3007-41a3-a916-cb8b0d3098de";

interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly key?: string;
}

/** Posts a body, and returns the status and the error of the answer and what the record says of for whom it was. */
async function send(path: string, body: JsonObject, { headers = {}, key = gateway.key }: Sent = {}) {
  const response = await gateway.fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}`, ...headers },
    body: JSON.stringify(body),
  });
  const answer = await response.text();
  const { attribution, status } = await gateway.record(requestIdOf(response), key);
  return { status: response.status, answer, recorded: status, attribution };
}

const named = {
  "X-Service-Tags": "team=search, env=prod",
  "X-Service-End-User": "ada",
  "X-Service-Session": "s-1",
};
const asNamed = { tags: { env: "prod", team: "search" }, end_user: "ada", session: "s-1" };

/** What each caller's body says, and how it is recorded. */
const said: Readonly<Record<string, readonly (readonly [JsonObject, object])[]>> = {
  chat: [
    [{ user: "ada" }, { end_user: "ada" }],
    [
      { safety_identifier: "ada", prompt_cache_key: "s-1" },
      { end_user: "ada", session: "s-1" },
    ],
    [{ metadata: { user_id: "ada", session_id: "s-1", note: "x" } }, { end_user: "ada", session: "s-1" }],
  ],
  responses: [
    [{ user: "ada" }, { end_user: "ada" }],
    [
      { safety_identifier: "ada", prompt_cache_key: "s-1" },
      { end_user: "ada", session: "s-1" },
    ],
    [{ metadata: { user_id: "ada", session_id: "s-1", note: "x" } }, { end_user: "ada", session: "s-1" }],
  ],
  messages: [
    [{ metadata: { user_id: "ada" } }, { end_user: "ada" }],
    [{ metadata: { user_id: `user_${hash}_account__session_${session}` } }, { end_user: `user_${hash}`, session }],
    [
      { metadata: { user_id: JSON.stringify({ device_id: hash, account_uuid: "", session_id: session }) } },
      { end_user: hash, session },
    ],
  ],
  "gemini events": [
    [{ labels: { user: "ada", session: "s-1", team: "search" } }, { ...asNamed, tags: { team: "search" } }],
  ],
  "gemini array": [[{ labels: { team: "search" } }, { tags: { team: "search" } }]],
};

describe.each(callers.map((caller) => [caller.name, caller] as const))("a caller of %s", (name, caller) => {
  describe.each(dialects.map((dialect) => [dialect]))("at a provider of %s", (dialect) => {
    test.each([[false], [true]])("stream: %p", async (stream) => {
      const model = modelOf(dialect);
      const post = (more: JsonObject, sent: Sent = {}) =>
        send(caller.path(model, stream), caller.body(model, "Hello", { stream, more }), sent);

      const nothing = { tags: {}, end_user: null, session: null };
      expect(await post({})).toMatchObject({ recorded: "succeeded", attribution: nothing });
      for (const [more, attribution] of said[name] ?? []) {
        expect((await post(more)).attribution).toEqual({ ...nothing, ...attribution });
        // The gateway's own headers come before what a body says.
        const both = await post(more, { headers: named });
        expect(both).toMatchObject({ recorded: "succeeded", attribution: asNamed });
      }
      expect((await post({}, { headers: { "X-Claude-Code-Session-Id": session } })).attribution.session).toBe(session);
    });
  });

  test("a malformed header is refused by name, and the record says what the key does", async () => {
    const { key } = await gateway.newKey({ tags: { team: "search" } });
    const body = caller.body(modelOf("gemini"), "Hello");
    const post = (headers: Readonly<Record<string, string>>) =>
      send(caller.path(modelOf("gemini"), false), body, { headers, key });

    const refused = await post({ "X-Service-Tags": "team=ads" });
    expect(refused).toMatchObject({ status: 400, recorded: "refused" });
    expect(refused.attribution.tags).toEqual({ team: "search" });
    expect(refused.answer).toContain("the tag 'team' of this API key is fixed: it is 'search'");
    expect((await post({ "X-Service-End-User": "u".repeat(257) })).answer).toContain("X-Service-End-User");
    expect((await post({ "X-Service-Tags": "env=prod" })).attribution.tags).toEqual({ env: "prod", team: "search" });
  });
});

const others: readonly (readonly [string, JsonObject, object])[] = [
  ["/v1/embeddings", { model: embeddingModelOf("openai-chat"), input: "a", user: "ada" }, { end_user: "ada" }],
  ["/v1/embeddings", { model: embeddingModelOf("gemini"), input: "a", user: "ada" }, { end_user: "ada" }],
  [`/v1beta/models/${embeddingModelOf("gemini")}:embedContent`, { content: { parts: [{ text: "a" }] } }, {}],
  ["/v1/responses/input_tokens", { model: modelOf("gemini"), input: "a", prompt_cache_key: "s-1" }, { session: "s-1" }],
  [
    "/v1/messages/count_tokens",
    {
      // Anthropic itself takes no metadata here.
      model: modelOf("openai-chat"),
      messages: [{ role: "user", content: "a" }],
      metadata: { user_id: `user_${hash}_account__session_${session}` },
    },
    { end_user: `user_${hash}`, session },
  ],
  [
    `/v1beta/models/${modelOf("gemini")}:countTokens`,
    {
      generateContentRequest: {
        model: `models/${modelOf("gemini")}`,
        contents: [{ parts: [{ text: "a" }] }],
        labels: { user: "ada", team: "search" },
      },
    },
    { end_user: "ada", tags: { team: "search" } },
  ],
  ["/v1/responses/compact", { model: modelOf("openai-responses"), input: "a", user: "ada" }, { end_user: "ada" }],
];

test.each(others)("%s", async (path, body, attribution) => {
  const nothing = { tags: {}, end_user: null, session: null };
  const { status, answer, attribution: recorded } = await send(path, body);
  expect({ status, answer }).toMatchObject({ status: 200 });
  expect<object>(recorded).toEqual({ ...nothing, ...attribution });
  expect((await send(path, body, { headers: named })).attribution).toMatchObject({ end_user: "ada", session: "s-1" });
});

test("a request that is refused after its body was read is recorded with what the body says", async () => {
  const body = { model: "no-such-model", messages: [{ role: "user", content: "a" }], user: "ada" };
  const { status, recorded, attribution } = await send("/v1/chat/completions", body);
  expect({ status, recorded, end_user: attribution.end_user }).toEqual({
    status: 404,
    recorded: "refused",
    end_user: "ada",
  });
});

test("what is said to the gateway is not sent on", async () => {
  gateway.sandbox.reset();
  const body = { model: modelOf("openai-chat"), messages: [{ role: "user", content: "a" }] };
  await send("/v1/chat/completions", body, { headers: named });
  const [received] = gateway.sandbox.requests;
  expect(Object.keys(received?.headers ?? {}).filter((name) => name.startsWith("x-service"))).toEqual([]);
});

test("a long end user of a provider's field is cut, not refused, and goes on as it is", async () => {
  gateway.sandbox.reset();
  const user = "é".repeat(1_000);
  const body = { model: modelOf("openai-chat"), messages: [{ role: "user", content: "a" }], user };
  const { status, attribution } = await send("/v1/chat/completions", body);
  expect({ status, end_user: attribution.end_user }).toEqual({ status: 200, end_user: "é".repeat(256) });
  expect(JSON.parse(String(gateway.sandbox.requests[0]?.body))).toMatchObject({ user });
});

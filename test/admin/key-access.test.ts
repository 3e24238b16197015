import { afterAll, beforeAll, expect, test } from "bun:test";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";

/** What a key can call, and why not the rest: each answer is held against a real request. */

interface Access {
  readonly data: readonly {
    readonly id: string;
    readonly kind: string;
    readonly endpoints: readonly {
      readonly name: string;
      readonly allowed: boolean;
      readonly reason?: { readonly code: string };
    }[];
  }[];
  readonly refusals: readonly { readonly code: string }[];
  readonly has_more: boolean;
  readonly next: string | null;
}

let gateway: TestGateway;
let headers: Record<string, string>;
beforeAll(async () => {
  const targets = [{ provider: "sandbox", model: "sandbox-chat" }];
  gateway = await startTestGateway({
    models: [
      { id: "a/one", targets, endpoints: ["chat", "messages"] },
      { id: "b/two", targets },
    ],
    routes: [{ kind: "alias", id: "short", leadsTo: "a/one" }],
  });
  const admin = await gateway.newKey({ admin: true });
  headers = { authorization: `Bearer ${admin.key}`, "content-type": "application/json" };
});
afterAll(() => gateway.stop());

async function accessOf(id: string, query = ""): Promise<Access> {
  const answer = await gateway.fetch(`/api/admin/keys/${id}/access${query}`, { headers });
  expect(answer.status).toBe(200);
  return (await answer.json()) as Access;
}

test("names each model and route, and agrees with what a request is answered", async () => {
  const { id, key } = await gateway.newKey({ scopes: { models: ["a/*"], endpoints: ["chat"] } });
  const access = await accessOf(id);
  expect(access.refusals).toEqual([]);
  const kinds = Object.fromEntries(access.data.map(({ id: name, kind }) => [name, kind]));
  expect(kinds).toMatchObject({ "a/one": "model", "b/two": "model", short: "route" });
  const paths: Readonly<Record<string, string>> = { chat: "/v1/chat/completions", messages: "/v1/messages" };
  for (const model of ["a/one", "b/two", "short"]) {
    const { endpoints = [] } = access.data.find((each) => each.id === model) ?? {};
    for (const { name, allowed, reason } of endpoints) {
      const path = paths[name];
      if (path === undefined) continue;
      const body = JSON.stringify({ model, max_tokens: 9, messages: [{ role: "user", content: "Hello" }] });
      const answer = await gateway.fetch(path, {
        method: "POST",
        headers: { ...headers, authorization: `Bearer ${key}` },
        body,
      });
      const { error } = (await answer.json()) as { readonly error?: { readonly code?: string } };
      expect([model, name, allowed]).toEqual([model, name, answer.ok]);
      // Anthropic's errors have no code; and the endpoint is looked at before the model.
      if (!allowed && name === "chat") expect([model, reason?.code]).toEqual([model, error?.code]);
    }
  }
  const chat = access.data.find((each) => each.id === "a/one")?.endpoints;
  expect(chat).toEqual([
    { name: "chat", allowed: true },
    { name: "messages", allowed: false, reason: expect.objectContaining({ code: "endpoint_not_allowed" }) },
  ]);
});

test("says what stands against all requests: disabled, no balance, a used-up budget", async () => {
  const ask = async (path: string, body: unknown, method = "POST") => {
    const answer = await gateway.fetch(path, { method, headers, body: JSON.stringify(body) });
    expect(answer.ok).toBeTrue();
    return (await answer.json()) as { readonly id: string };
  };
  await ask("/api/admin/accounts", { id: "empty", mode: "prepaid" });
  const { id } = await ask("/api/admin/keys", { name: "poor", account: "empty" });
  expect((await accessOf(id)).refusals.map(({ code }) => code)).toEqual(["insufficient_balance"]);
  await ask("/api/admin/budgets", { key: id, amount_microusd: 0, per: "day" });
  await ask(`/api/admin/keys/${id}`, { disabled: true }, "PATCH");
  const codes = (await accessOf(id)).refusals.map(({ code }) => code);
  expect(codes).toEqual(["disabled_api_key", "insufficient_balance", "budget_exceeded"]);
});

test("comes in pages, and only for operators", async () => {
  const { id, key } = await gateway.newKey();
  const all = (await accessOf(id, "?limit=1000")).data.map((each) => each.id);
  const paged: string[] = [];
  let after: string | null = null;
  do {
    const page: Access = await accessOf(id, `?limit=2${after === null ? "" : `&after=${encodeURIComponent(after)}`}`);
    paged.push(...page.data.map((each) => each.id));
    after = page.next;
  } while (after !== null);
  expect(paged).toEqual(all);
  const own = await gateway.fetch(`/api/admin/keys/${id}/access`, { headers: { authorization: `Bearer ${key}` } });
  expect(own.status).toBe(403);
  expect((await gateway.fetch("/api/admin/keys/none/access", { headers })).status).toBe(404);
});

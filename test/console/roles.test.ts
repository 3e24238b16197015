import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { tester } from "../../src/changes/actor.testkit.ts";
import { dialects } from "../../src/dialects/registry.ts";
import { createPathTable } from "../../src/endpoints/path-table.ts";
import { type Browser, ownerEmail, password, startConsoleGateway, type ConsoleGateway } from "./console.testkit.ts";

/** What each role may ask. The paths are those of the path table, so that a new one is tried too. */

let running: ConsoleGateway;
let owner: Browser;
let operator: Browser;
let member: Browser;
beforeAll(async () => {
  running = await startConsoleGateway();
  const { storage } = running;
  const account = { id: "team", name: "Team", mode: "unlimited" as const, markupBasisPoints: 0, createdAt: Date.now() };
  await storage.accounts.create(account, tester);
  owner = await running.owner();
  operator = await running.invited(owner, { email: "operator@example.com", role: "operator" });
  member = await running.invited(owner, { email: "member@example.com", role: "member", account_id: "team" });
});
afterAll(() => running.stop());

const { entries } = createPathTable(dialects);
const handled = entries.flatMap(({ path, handlers }) => Object.keys(handlers).map((method) => ({ method, path })));
const billed = entries.flatMap(({ path, operations }) => Object.keys(operations).map((method) => ({ method, path })));
const adminPaths = handled.filter(({ path }) => path.startsWith("/api/admin/"));
/** A path with something at its placeholders. */
const concrete = (path: string) => path.replaceAll(/\{\w+\+?\}/g, "default");
const bodyOf = (method: string) => (method === "GET" || method === "DELETE" ? undefined : {});

describe("a member", () => {
  test.each(adminPaths)("may not $method $path", async ({ method, path }) => {
    const answer = await member.send(method, concrete(path), bodyOf(method));
    expect(answer).toMatchObject({ status: 403, body: { error: { code: "role_not_allowed" } } });
  });

  test.each(handled.filter(({ path }) => path.startsWith("/console/users")))(
    "may not $method $path",
    async ({ method, path }) => {
      const answer = await member.send(method, concrete(path), bodyOf(method));
      expect(answer).toMatchObject({ status: 403, body: { error: { code: "role_not_allowed" } } });
    },
  );

  test("sees the records of its account alone, and no attempts", async () => {
    const { gateway } = running;
    const { key, id: keyId } = await gateway.newKey({ accountId: "team" });
    const own = await gateway.chat({}, { headers: { authorization: `Bearer ${key}` } });
    const other = await gateway.chat();
    const ownId = own.headers.get("x-service-request-id") ?? "";
    const otherId = other.headers.get("x-service-request-id") ?? "";
    await Promise.all([own.arrayBuffer(), other.arrayBuffer()]);

    const list = (await member.send("GET", "/api/usage/requests")).body.data ?? [];
    expect(list.map(({ id }) => id)).toEqual([ownId]);
    const record = await member.send("GET", `/api/usage/requests/${ownId}`);
    expect(record).toMatchObject({ status: 200, body: { id: ownId, billing: { account: "team" } } });
    expect(record.body).toEqual((await gateway.record(ownId, key)) as never);
    expect((await member.send("GET", `/api/usage/requests/${otherId}`)).status).toBe(404);
    const summary = await member.send("GET", "/api/usage/summary?by=model");
    expect(summary.body).toMatchObject({ total: { requests: 1 } });
    for (const query of ["account=default", `key=${keyId}`]) {
      for (const path of ["requests", "summary", "export"]) {
        const answer = await member.send("GET", `/api/usage/${path}?${query}`);
        expect({
          path,
          query,
          status: answer.status === 400 || !JSON.stringify(answer.body).includes(otherId),
        }).toEqual({
          path,
          query,
          status: true,
        });
      }
    }
    const file = await fetch(`${gateway.url}/api/usage/export?format=jsonl`, {
      headers: { cookie: [...member.cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
    });
    const text = await file.text();
    expect(file.status).toBe(200);
    expect(text).toContain(ownId);
    expect(text).not.toContain(otherId);
    expect((await member.send("GET", "/api/account")).body).toMatchObject({ object: "account", id: "team" });
  });

  test("sees no budget that tells what others spend", async () => {
    const own = await owner.send("POST", "/api/admin/budgets", {
      amount_microusd: 1_000,
      per: "total",
      account: "team",
    });
    for (const scope of [{}, { model: "sandbox-chat" }, { account: "default" }, { tag: { team: "search" } }]) {
      const answer = await owner.send("POST", "/api/admin/budgets", { amount_microusd: 1_000, per: "total", ...scope });
      expect(answer.status).toBe(201);
    }
    const { budgets } = (await member.send("GET", "/api/account")).body as { budgets: { id: unknown }[] };
    expect(budgets.map(({ id }) => id)).toEqual([own.body["id"]]);
    const seen = (await operator.send("GET", "/api/account")).body as { budgets: unknown[] };
    expect(seen.budgets.length).toBeGreaterThan(1);
    const all = (await owner.send("GET", "/api/admin/budgets")).body.data ?? [];
    await Promise.all(all.map(({ id }) => owner.send("DELETE", `/api/admin/budgets/${String(id)}`)));
  });

  test("may ask what is there and what it would cost", async () => {
    const chat = { model: "sandbox-chat", messages: [{ role: "user", content: "a" }] };
    for (const [method, path, body] of [
      ["GET", "/v1/models"],
      ["GET", "/v1/models/sandbox-chat"],
      ["GET", "/api/models/catalog"],
      ["GET", "/v1/files"],
      ["GET", "/v1/videos"],
      ["POST", "/api/quote", { path: "/v1/chat/completions", body: chat }],
      ["POST", "/api/routes/explain", chat],
    ] as const) {
      expect({ path, status: (await member.send(method, path, body)).status }).toEqual({ path, status: 200 });
    }
  });

  test("sees and ends its own sessions alone", async () => {
    const list = (await member.send("GET", "/console/sessions")).body.data ?? [];
    expect(new Set(list.map(({ user }) => (user as { email: string }).email))).toEqual(new Set(["member@example.com"]));
    const { id } = (await owner.send("GET", "/console/session")).body as { id: string };
    expect((await member.send("DELETE", `/console/sessions/${id}`)).status).toBe(404);
    expect((await owner.refresh()).status).toBe(200);
  });
});

describe("an operator", () => {
  test.each(adminPaths.filter(({ method }) => method === "GET"))("may ask $path", async ({ path }) => {
    const answer = await operator.send("GET", concrete(path));
    // There may be no such thing, and some want a query.
    expect([200, 400, 404, 409]).toContain(answer.status);
    expect(answer.body.error?.code).not.toBe("role_not_allowed");
  });

  test.each(handled.filter(({ path }) => path.startsWith("/console/users")))(
    "may not $method $path",
    async ({ method, path }) => {
      const answer = await operator.send(method, concrete(path), bodyOf(method));
      expect(answer).toMatchObject({ status: 403, body: { error: { code: "role_not_allowed" } } });
    },
  );
});

describe("a session", () => {
  test.each(billed)("pays for nothing: $method $path", async ({ method, path }) => {
    const chat = { model: "sandbox-chat", messages: [{ role: "user", content: "a" }], max_tokens: 5 };
    const answer = await owner.send(method, concrete(path).replace("default", "sandbox-chat"), chat);
    expect(answer.status).toBe(401);
  });
});

describe("a session on the paths of callers", () => {
  const asking = ["/api/quote", "/api/routes/explain"];
  const changing = handled.filter(
    ({ method, path }) =>
      method !== "GET" && /^\/(v1|api)/.test(path) && !path.startsWith("/api/admin/") && !asking.includes(path),
  );

  test.each(changing.filter(({ path }) => path !== "/v1/webhooks/{id}"))(
    "changes nothing: $method $path",
    async ({ method, path }) => {
      for (const browser of [owner, member]) {
        const answer = await browser.send(method, concrete(path), bodyOf(method));
        expect(answer).toMatchObject({ status: 401, body: { error: { code: "missing_api_key" } } });
      }
    },
  );

  test("removes no file of its account, and adds none", async () => {
    const { key } = await running.gateway.newKey({ accountId: "team" });
    const form = new FormData();
    form.set("purpose", "user_data");
    form.set("file", new File(["a"], "a.txt"));
    const made = await running.gateway.fetch("/v1/files", {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body: form,
    });
    const { id } = (await made.json()) as { id: string };
    expect((await member.send("GET", `/v1/files/${id}`)).status).toBe(200);
    expect((await member.send("DELETE", `/v1/files/${id}`)).status).toBe(401);
    expect((await member.send("GET", `/v1/files/${id}`)).status).toBe(200);
  });
});

describe("an owner", () => {
  test("changes roles, which count from the next request on", async () => {
    const browser = await running.invited(owner, { email: "changing@example.com", role: "operator" });
    expect((await browser.send("GET", "/api/admin/keys")).status).toBe(200);
    const { user } = (await browser.refresh()).body as { user: { id: string } };
    const change = (body: object) => owner.send("PATCH", `/console/users/${user.id}`, body);
    expect(await change({ role: "member" })).toMatchObject({ status: 400, body: { error: { param: "account_id" } } });
    expect(await change({ role: "member", account_id: "nothing" })).toMatchObject({
      status: 400,
      body: { error: { param: "account_id" } },
    });
    expect(await change({ role: "member", account_id: "team" })).toMatchObject({
      status: 200,
      body: { role: "member" },
    });
    expect((await browser.send("GET", "/api/admin/keys")).status).toBe(403);
    expect((await browser.send("GET", "/api/account")).body).toMatchObject({ id: "team" });
    expect(await change({ name: "New Name" })).toMatchObject({ body: { name: "New Name", account_id: "team" } });
    expect((await owner.send("DELETE", `/console/users/${user.id}`)).status).toBe(200);
    expect((await browser.refresh()).status).toBe(401);
    expect((await running.browser().signIn("changing@example.com")).status).toBe(401);
    expect((await owner.send("DELETE", `/console/users/${user.id}`)).status).toBe(404);
    const changes = await running.storage.changes.list({ kind: "console_user", id: user.id, limit: 10, after: null });
    expect(changes.map(({ action, by }) => [action, "user" in by ? by.user : ""])).toEqual([
      ["remove", ownerEmail],
      ["change", ownerEmail],
      ["change", ownerEmail],
      ["create", "changing@example.com"],
    ]);
  });

  test("who is the last one stays an owner", async () => {
    const { user } = (await owner.refresh()).body as { user: { id: string } };
    for (const [method, body] of [["DELETE"], ["PATCH", { role: "operator" }]] as const) {
      const answer = await owner.send(method, `/console/users/${user.id}`, body);
      expect(answer).toMatchObject({ status: 409, body: { error: { code: "last_owner" } } });
    }
    expect((await owner.refresh()).status).toBe(200);
    expect((await running.browser().signIn(ownerEmail, password)).status).toBe(200);
  });

  test.each([
    [{ email: "x@example.com", name: "X", role: "boss" }, "role"],
    [{ email: "x", name: "X", role: "owner" }, "email"],
    [{ email: "x@example.com", role: "owner" }, "name"],
    [{ email: "x@example.com", name: "X", role: "member" }, "account_id"],
    [{ email: "x@example.com", name: "X", role: "member", account_id: "nothing" }, "account_id"],
    [{ email: "x@example.com", name: "X", role: "operator", account_id: "team" }, "account_id"],
  ])("is told what is wrong in %j", async (body, param) => {
    expect(await owner.send("POST", "/console/users", body)).toMatchObject({ status: 400, body: { error: { param } } });
  });
});

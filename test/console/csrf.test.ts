import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Browser, startConsoleGateway, type ConsoleGateway } from "./console.testkit.ts";

/** Requests that other sites make a browser send. */

let running: ConsoleGateway;
let owner: Browser;
beforeAll(async () => {
  running = await startConsoleGateway();
  owner = await running.owner();
});
afterAll(() => running.stop());

const writes: readonly (readonly [method: string, path: string, body?: unknown])[] = [
  ["POST", "/api/admin/keys", { name: "forged" }],
  ["PUT", "/api/admin/routes/forged", { alias: "sandbox-chat" }],
  ["POST", "/api/quote", { path: "/v1/chat/completions", body: { model: "sandbox-chat", messages: [] } }],
  ["POST", "/api/routes/explain", { model: "sandbox-chat", messages: [] }],
  ["POST", "/console/users", { email: "a@example.com", name: "A", role: "owner" }],
  ["DELETE", "/console/sessions/none"],
  ["POST", "/console/auth/change-password", { currentPassword: "a", newPassword: "a long enough password" }],
  ["POST", "/console/auth/passkey/delete-passkey", { id: "none" }],
  ["POST", "/console/auth/sign-out"],
];

describe.each(writes)("%s %s", (method, path, body) => {
  test.each([
    ["without the token", { "x-console-csrf": "" }],
    ["with another token", { "x-console-csrf": "A".repeat(43) }],
    ["of another site by Origin", { origin: "https://evil.example" }],
    ["of another port of this host", { origin: "http://127.0.0.1:1", "sec-fetch-site": "same-site" }],
    ["of a page without an origin", { origin: "null" }],
    ["of another site by Sec-Fetch-Site", { "sec-fetch-site": "cross-site" }],
    ["of a sibling site by Sec-Fetch-Site", { "sec-fetch-site": "same-site" }],
  ])("%s is refused", async (_title, headers) => {
    const answer = await owner.send(method, path, body, headers);
    expect(answer).toMatchObject({ status: 403, body: { error: { code: "csrf_check_failed" } } });
  });

  test("with neither Origin nor Sec-Fetch-Site is refused", async () => {
    const cookie = [...owner.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(running.gateway.url + path, {
      method,
      headers: { cookie, "x-console-csrf": owner.csrf, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    expect(response.status).toBe(403);
    expect(((await response.json()) as { error: unknown }).error).toMatchObject({ code: "csrf_check_failed" });
  });

  test("with the token of another session is refused", async () => {
    const other = await running.invited(owner, { email: `other${Math.random()}@example.com`, role: "owner" });
    const answer = await owner.send(method, path, body, { "x-console-csrf": other.csrf });
    expect(answer.status).toBe(403);
  });
});

test("nothing was changed by them", async () => {
  const changes = await running.storage.changes.list({ kind: null, id: null, limit: 1_000, after: null });
  expect(changes.filter(({ kind }) => kind === "route" || kind === "key").map(({ by }) => by.kind)).toEqual([
    "command_line",
  ]);
  expect((await owner.refresh()).status).toBe(200);
  expect((await owner.send("POST", "/api/admin/keys", { name: "mine" })).status).toBe(201);
  const [change] = await running.storage.changes.list({ kind: "key", id: null, limit: 1, after: null });
  expect(change?.by).toEqual({ kind: "console", user: "owner@example.com" });
});

test("a page of another site reads nothing with a session", async () => {
  for (const headers of [
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { origin: "http://127.0.0.1:1" },
  ]) {
    for (const path of [
      "/console/auth/passkey/generate-authenticate-options",
      "/console/session",
      "/console/users",
      "/api/admin/keys",
      "/api/usage/requests",
      "/api/account",
    ]) {
      expect((await owner.send("GET", path, undefined, headers)).status).toBe(403);
    }
  }
  const answer = await owner.send("GET", "/api/admin/keys", undefined, { origin: running.gateway.url });
  expect(answer.status).toBe(200);
  // Without this header a browser gives no other site what was asked with cookies.
  expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
});

test("a key counts before a session, and needs no token", async () => {
  const { key } = await running.gateway.newKey();
  const headers = { authorization: `Bearer ${key}`, origin: "https://evil.example", "x-console-csrf": "" };
  expect((await owner.send("GET", "/api/admin/keys", undefined, headers)).status).toBe(403);
  const body = {
    path: "/v1/chat/completions",
    body: { model: "sandbox-chat", messages: [{ role: "user", content: "a" }] },
  };
  expect((await owner.send("POST", "/api/quote", body, headers)).status).toBe(200);
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ConsoleGateway, ownerEmail, startConsoleGateway } from "./console.testkit.ts";

let running: ConsoleGateway;
beforeAll(async () => {
  running = await startConsoleGateway();
  await running.owner();
});
afterAll(() => running.stop());

test.each([
  "/console",
  "/console/",
  "/console/requests",
  "/console/api/keys/a.b",
  "/console/set-up",
  "/console/auth/methods",
])("%s can be framed, sniffed or scripted by no one", async (path) => {
  const { headers } = await running.browser().send("GET", path);
  const policy = headers.get("content-security-policy") ?? "";
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).toContain("base-uri 'none'");
  expect(policy).not.toContain("unsafe");
  expect(policy).not.toContain("*");
  expect(headers.get("x-frame-options")).toBe("DENY");
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("referrer-policy")).toBe("same-origin");
  expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
});

test.each([
  ["GET", "/console/session", 401],
  ["GET", "/console/assets/nothing.js", 404],
  ["POST", "/console", 405],
  ["POST", "/console/auth/nothing", 404],
  ["DELETE", "/console/users/none", 401],
  ["GET", "/consol%65/session", 401],
])("an error can be framed, sniffed or kept by no one either: %s %s", async (method, path, status) => {
  const answer = await running.browser().send(method, path);
  expect(answer.status).toBe(status);
  expect(answer.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  expect(answer.headers.get("x-frame-options")).toBe("DENY");
  expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  expect(answer.headers.get("cache-control")).toBe("no-store");
});

test("nothing stores what a session has read", async () => {
  const browser = running.browser();
  await browser.signIn(ownerEmail);
  for (const path of ["/api/admin/keys", "/api/admin/nothing", "/api/usage/export?format=csv", "/api/account"]) {
    const { headers } = await browser.send("GET", path);
    expect({ path, kept: headers.get("cache-control") }).toEqual({ path, kept: "no-store" });
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  }
  const { headers } = await running.gateway.fetch("/api/account");
  expect(headers.get("cache-control")).toBeNull();
});

test("every path of the app is the same page, or the word that it is not built", async () => {
  const first = await fetch(`${running.gateway.url}/console`);
  const other = await fetch(`${running.gateway.url}/console/keys/abc`);
  expect(first.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(first.status).toBe(200);
  const text = await first.text();
  expect(await other.text()).toBe(text);
  expect(text.includes("<script") || text.includes("npm run build")).toBeTrue();
});

test.each(["nothing.js", "..%2findex.html", "%2e%2e%2f%2e%2e%2fpackage.json", "a%00.js"])(
  "/console/assets/%s is unknown",
  async (name) => {
    const response = await fetch(`${running.gateway.url}/console/assets/${name}`);
    expect(response.headers.get("content-type")).toContain("application/json");
    expect(response.status).toBe(404);
  },
);

describe("a gateway behind TLS", () => {
  const publicUrl = "https://gateway.example";

  test("has secure cookies, and takes requests of its public address alone", async () => {
    const secure = await startConsoleGateway("sqlite", { console: { publicUrl } });
    const token = await secure.setUpToken();
    const browser = secure.browser();
    const body = { token, name: "Owner", email: ownerEmail, password: "a long password of tests" };
    expect((await browser.send("POST", "/console/auth-setup", body)).status).toBe(403);
    const made = await browser.send("POST", "/console/auth-setup", body, { origin: publicUrl });
    expect(made.status).toBe(200);
    const [cookie = ""] = made.headers.getSetCookie();
    expect(cookie).toStartWith("__Host-tollgate_console.session_token=");
    for (const attribute of ["Secure", "Path=/", "HttpOnly", "SameSite=Strict"]) expect(cookie).toContain(attribute);
    expect(cookie).not.toContain("Domain");
    const session = await browser.refresh();
    expect(session.status).toBe(200);
    const invitation = { email: "a@example.com", name: "A", role: "operator" };
    const invited = await browser.send("POST", "/console/users", invitation, { origin: publicUrl });
    expect(String(invited.body["link"])).toStartWith(`${publicUrl}/console/set-up#token=`);
    const plain = secure.browser();
    plain.cookies.set("tollgate_console.session_token", [...browser.cookies.values()][0] ?? "");
    expect((await plain.refresh()).status).toBe(401);
    // The proxy of this machine says where a request comes from.
    await browser.send(
      "POST",
      "/console/auth/sign-in/email",
      { email: ownerEmail, password: body.password },
      {
        origin: publicUrl,
        "x-forwarded-for": "198.51.100.9, 203.0.113.7",
      },
    );
    const sessions = (await browser.send("GET", "/console/sessions")).body.data ?? [];
    expect(sessions.map(({ address }) => address)).toContain("203.0.113.7");
    await secure.stop();
  });
});

test("a gateway with an https address tells browsers to use nothing else for its console, and no other gateway does", async () => {
  const secure = await startConsoleGateway("sqlite", { console: { publicUrl: "https://gateway.example" } });
  for (const path of ["/console", "/console/session", "/console/assets/none.js", "/console/auth/methods"]) {
    const { headers } = await fetch(secure.gateway.url + path);
    expect([path, headers.get("strict-transport-security")]).toEqual([path, "max-age=31536000"]);
    const plain = await fetch(running.gateway.url + path);
    expect([path, plain.headers.get("strict-transport-security")]).toEqual([path, null]);
  }
  const challenge = await fetch(`${secure.gateway.url}/console/auth/passkey/generate-authenticate-options`);
  expect(challenge.headers.getSetCookie().join()).toStartWith("__Host-");
  await secure.stop();
});

test("without a console its paths are unknown, and its cookies mean nothing", async () => {
  const none = await startConsoleGateway("sqlite", { console: { enabled: false } });
  for (const path of ["/console", "/console/session", "/console/auth/methods", "/console/assets/a.js"]) {
    expect((await fetch(none.gateway.url + path)).status).toBe(404);
  }
  const cookie = "tollgate_console.session_token=a.b";
  const response = await fetch(`${none.gateway.url}/api/admin/keys`, { headers: { cookie } });
  expect(((await response.json()) as { error: { code: string } }).error.code).toBe("missing_api_key");
  await none.stop();
});

test("two gateways on one Postgres share users, sessions and links", async () => {
  const one = await startConsoleGateway("postgres");
  const two = await startConsoleGateway("sqlite", { storageUrl: one.gateway.storageUrl });
  const owner = await one.owner();
  const elsewhere = two.browser();
  for (const [name, value] of owner.cookies) elsewhere.cookies.set(name, value);
  const session = await elsewhere.refresh();
  expect(session).toMatchObject({ status: 200, body: { csrf: owner.csrf } });
  expect((await elsewhere.send("POST", "/api/admin/keys", { name: "shared" })).status).toBe(201);
  const other = await two.invited(owner, { email: "other@example.com", role: "owner" });
  const { id } = (await other.refresh()).body as { id: string };
  expect((await owner.send("DELETE", `/console/sessions/${id}`)).status).toBe(200);
  expect((await other.refresh()).status).toBe(401);

  // Two owners remove each other at once: one stays.
  await other.signIn("other@example.com");
  const users = (await owner.send("GET", "/console/users")).body.data ?? [];
  const [first, second] = users.map(({ id }) => String(id));
  const removed = await Promise.all([
    owner.send("DELETE", `/console/users/${second}`),
    other.send("DELETE", `/console/users/${first}`),
  ]);
  expect(removed.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(await one.storage.console.listUsers(10)).toHaveLength(1);
  await two.stop();
  await one.stop();
});

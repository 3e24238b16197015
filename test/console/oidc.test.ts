import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { type Browser, ownerEmail, startConsoleGateway, type ConsoleGateway } from "./console.testkit.ts";
import { clientId, clientSecret, startProvider, type TestProvider } from "./oidc-provider.testkit.ts";

let provider: TestProvider;
let running: ConsoleGateway;
let owner: Browser;
beforeAll(async () => {
  provider = startProvider();
  const oidc = {
    name: "Test",
    issuer: provider.issuer,
    clientId,
    clientSecret,
    scopes: ["openid", "email", "profile"],
  };
  running = await startConsoleGateway("sqlite", { console: { oidc } });
  owner = await running.owner();
});
afterAll(async () => {
  await running.stop();
  await provider.stop();
});
beforeEach(() => {
  provider.claims = { sub: "owner-1", email: ownerEmail, email_verified: true, name: "Owner" };
  provider.nonce = null;
  provider.isForged = false;
  provider.answerIssuer = null;
});

/** Signs in as a browser does: to the provider, and back by its link. */
async function signIn(browser: Browser, callbackURL?: string) {
  const start = await browser.send("POST", "/console/auth/sign-in/social", { provider: "oidc", callbackURL });
  expect(start.status).toBe(200);
  const there = await fetch(String(start.body["url"]), { redirect: "manual" });
  const back = new URL(there.headers.get("location") ?? "");
  return browser.send("GET", back.pathname + back.search, undefined, { "sec-fetch-site": "cross-site" });
}

test("the ways to sign in are told", async () => {
  expect((await running.browser().send("GET", "/console/auth/methods")).body).toEqual({
    object: "console_sign_in_methods",
    password: true,
    passkey: true,
    oidc: { provider: "oidc", name: "Test" },
  });
});

test("a user whom the provider knows by a verified address is signed in, and no token is kept", async () => {
  const browser = running.browser();
  const back = await signIn(browser, "/console/requests?model=a");
  expect(back.status).toBe(302);
  expect(back.headers.get("location")).toBe("/console/requests?model=a");
  const cookies = back.headers.getSetCookie();
  expect(cookies.find((cookie) => cookie.includes("session_token"))).toContain("SameSite=Strict");
  expect((await browser.refresh()).body["user"]).toMatchObject({ email: ownerEmail, role: "owner" });
  const again = running.browser();
  await signIn(again);
  expect((await again.refresh()).status).toBe(200);
  const bytes = await Bun.file(`${running.gateway.storageUrl.replace("sqlite:", "")}-wal`).bytes();
  for (const secret of ["access secret", "refresh secret"]) expect(Buffer.from(bytes).includes(secret)).toBeFalse();
});

test.each([
  "https://evil.example/",
  "//evil.example/console",
  "/console/../v1/models",
  "/console\\..\\..\\..\\evil.example",
])("a sign-in leads into the console, not to %s", async (callbackURL) => {
  const back = await signIn(running.browser(), callbackURL);
  expect(back.headers.get("location")).toBe("/console");
});

test.each([
  [
    "someone who is not invited",
    () => (provider.claims = { sub: "2", email: "stranger@example.com", email_verified: true }),
  ],
  ["an address that is not verified", () => (provider.claims = { sub: "3", email: ownerEmail, email_verified: false })],
  [
    "an address that is not verified, written as text",
    () => (provider.claims = { sub: "5", email: ownerEmail, email_verified: "false" }),
  ],
  [
    "an address that another claim calls verified",
    () => (provider.claims = { sub: "6", email: ownerEmail, email_verified: false, emailVerified: true }),
  ],
  ["an address of which nothing is said", () => (provider.claims = { sub: "7", email: ownerEmail })],
  ["someone without a subject", () => (provider.claims = { sub: "", email: ownerEmail, email_verified: true })],
  ["someone without an address", () => (provider.claims = { sub: "4" })],
  ["a token of another key", () => (provider.isForged = true)],
  ["a token of another sign-in", () => (provider.nonce = "another")],
])("%s is not signed in", async (_title, set) => {
  set();
  const browser = running.browser();
  const back = await signIn(browser);
  expect(back.status).toBe(302);
  expect(back.headers.get("location")).toMatch(/^\/console\/sign-in\?error=\w+/);
  expect((await browser.refresh()).status).toBe(401);
  expect(((await owner.send("GET", "/console/users")).body.data ?? []).length).toBe(1);
});

test("an answer that this browser did not ask for is not taken", async () => {
  const asking = running.browser();
  const start = await asking.send("POST", "/console/auth/sign-in/social", { provider: "oidc" });
  const there = await fetch(String(start.body["url"]), { redirect: "manual" });
  const back = new URL(there.headers.get("location") ?? "");
  const victim = running.browser();
  const answer = await victim.send("GET", back.pathname + back.search, undefined, { "sec-fetch-site": "cross-site" });
  expect(answer.headers.get("location")).toMatch(/^\/console\/sign-in\?error=/);
  expect((await victim.refresh()).status).toBe(401);
});

test("another provider's user is not taken for one of the same number at the provider before", async () => {
  provider.claims = { sub: "1", email: ownerEmail, email_verified: true };
  await signIn(running.browser());
  const next = startProvider();
  next.claims = { sub: "1", email: "stranger@example.com", email_verified: true };
  const oidc = { name: "Next", issuer: next.issuer, clientId, clientSecret, scopes: ["openid", "email"] };
  const { storageUrl } = running.gateway;
  const other = await startConsoleGateway("sqlite", { storageUrl, console: { oidc } });
  const browser = other.browser();
  const back = await signIn(browser);
  expect(back.headers.get("location")).toMatch(/^\/console\/sign-in\?error=\w+/);
  expect((await browser.refresh()).status).toBe(401);
  await other.stop();
  await next.stop();
});

test("a provider that cannot be reached holds up no password, and is asked again", async () => {
  const oidc = { name: "Away", issuer: "http://127.0.0.1:1", clientId, clientSecret, scopes: ["openid"] };
  const other = await startConsoleGateway("sqlite", { console: { oidc } });
  const browser = await other.owner();
  for (let tries = 0; tries < 2; tries++) {
    const start = await browser.send("POST", "/console/auth/sign-in/social", { provider: "oidc" });
    expect(start).toMatchObject({ status: 503, body: { error: { code: "overloaded" } } });
  }
  expect((await other.browser().signIn(ownerEmail)).status).toBe(200);
  await other.stop();
});

test("an answer that another issuer gave is not taken, one that names the right issuer is", async () => {
  provider.answerIssuer = "https://evil.example";
  const browser = running.browser();
  const back = await signIn(browser);
  expect(back.headers.get("location")).toMatch(/^\/console\/sign-in\?error=\w+/);
  expect((await browser.refresh()).status).toBe(401);
  provider.answerIssuer = provider.issuer;
  await signIn(browser);
  expect((await browser.refresh()).status).toBe(200);
});

test.each([
  ["another issuer", () => "https://evil.example"],
  ["the same with a slash", (issuer: string) => `${issuer}/`],
  ["the same in capitals", (issuer: string) => issuer.toUpperCase()],
])("a provider that calls itself %s is not asked, and the log says what it calls itself", async (_title, claimed) => {
  const mixed = startProvider();
  mixed.claimedIssuer = claimed(mixed.issuer);
  mixed.claims = { sub: "owner-1", email: ownerEmail, email_verified: true };
  const oidc = { name: "Mixed", issuer: mixed.issuer, clientId, clientSecret, scopes: ["openid"] };
  const other = await startConsoleGateway("sqlite", { console: { oidc } });
  await other.owner();
  const start = await other.browser().send("POST", "/console/auth/sign-in/social", { provider: "oidc" });
  expect(start).toMatchObject({ status: 503, body: { error: { code: "overloaded" } } });
  expect(JSON.stringify(start.body)).not.toContain(mixed.issuer);
  expect(JSON.stringify(other.gateway.log)).toContain(mixed.claimedIssuer);
  await other.stop();
  await mixed.stop();
});

test("an issuer with a slash at its end is taken as it is written", async () => {
  const slashed = startProvider();
  slashed.claimedIssuer = `${slashed.issuer}/`;
  slashed.claims = { sub: "owner-1", email: ownerEmail, email_verified: true };
  const oidc = { name: "Slash", issuer: `${slashed.issuer}/`, clientId, clientSecret, scopes: ["openid"] };
  const other = await startConsoleGateway("sqlite", { console: { oidc } });
  await other.owner();
  const browser = other.browser();
  await signIn(browser);
  expect((await browser.refresh()).body["user"]).toMatchObject({ email: ownerEmail });
  await other.stop();
  await slashed.stop();
});

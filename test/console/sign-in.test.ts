import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { systemClock } from "../../src/clock.ts";
import { type Browser, ownerEmail, password, startConsoleGateway, type ConsoleGateway } from "./console.testkit.ts";

let running: ConsoleGateway;
let owner: Browser;
let now = systemClock.now();
beforeAll(async () => {
  running = await startConsoleGateway("sqlite", { clock: { now: () => now }, steady: { now: () => now } });
  owner = await running.owner();
});
afterAll(() => running.stop());

/** The value of the one cookie. */
function cookieOf(browser: Browser): string {
  return browser.cookies.get("tollgate_console.session_token") ?? "";
}

/** The cookie of a browser in which a user has signed in. */
function deviceOf(browser: Browser): string {
  return browser.cookies.get("tollgate_console.device") ?? "";
}

describe("a sign-in", () => {
  test("shows no token but in its cookie, and nothing of it in the log", async () => {
    const browser = running.browser();
    const answer = await browser.signIn(ownerEmail.toUpperCase());
    expect(answer.body).toEqual({ object: "console_sign_in" });
    const [token = ""] = decodeURIComponent(cookieOf(browser)).split(".");
    expect(token.length).toBeGreaterThan(30);
    const shown = [await browser.send("GET", "/console/session"), await browser.send("GET", "/console/sessions")];
    for (const text of [JSON.stringify(shown), JSON.stringify(running.gateway.log)]) {
      expect(text).not.toContain(token);
      expect(text).not.toContain(password);
    }
    for (const { headers } of shown) expect(headers.get("cache-control")).toBe("no-store");
  });

  test("fails alike with a wrong password and for nobody, without a cookie", async () => {
    for (const [email, secret] of [
      [ownerEmail, "a wrong password"],
      ["nobody@example.com", password],
      [ownerEmail, "x".repeat(1_000)],
    ] as const) {
      const answer = await running.browser().signIn(email, secret);
      expect(answer).toMatchObject({ status: 401, body: { error: { code: "sign_in_failed" } } });
      expect(answer.body.error?.message).toBe("The email address or the password is wrong.");
      expect(answer.headers.getSetCookie()).toEqual([]);
    }
  });

  test("takes no session that it is given: each has a new token, and the one before ends", async () => {
    const browser = running.browser();
    await browser.signIn(ownerEmail);
    const first = cookieOf(browser);
    await browser.signIn(ownerEmail);
    const second = cookieOf(browser);
    expect(second).not.toBe(first);
    const before = running.browser();
    before.cookies.set("tollgate_console.session_token", first);
    expect((await before.refresh()).status).toBe(401);

    const planted = running.browser();
    planted.cookies.set("tollgate_console.session_token", "planted.c2lnbmF0dXJl");
    await planted.signIn(ownerEmail);
    expect(cookieOf(planted)).not.toContain("planted");
    expect((await planted.refresh()).status).toBe(200);
  });

  test("from a page of another site is refused", async () => {
    const body = { email: ownerEmail, password };
    for (const headers of [
      { origin: "https://evil.example" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site", origin: "http://127.0.0.1:1" },
      { origin: "null" },
    ]) {
      const answer = await running.browser().send("POST", "/console/auth/sign-in/email", body, headers);
      expect(answer).toMatchObject({ status: 403, body: { error: { code: "csrf_check_failed" } } });
      expect(answer.headers.getSetCookie()).toEqual([]);
    }
    const plain = await fetch(`${running.gateway.url}/console/auth/sign-in/email`, {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "content-type": "application/json" },
    });
    expect(plain.status).toBe(403);
  });
});

describe("a session", () => {
  test("with any other signature or token is none", async () => {
    const browser = running.browser();
    await browser.signIn(ownerEmail);
    const [token = "", signature = ""] = decodeURIComponent(cookieOf(browser)).split(".");
    const changed = Buffer.from(signature, "base64");
    changed[0] = (changed[0] ?? 0) ^ 1;
    for (const value of [
      token,
      `${token}.`,
      `${token}.${changed.toString("base64")}`,
      `${token}a.${signature}`,
      `.${signature}`,
      "%",
      "x".repeat(5_000),
    ]) {
      const forged = running.browser();
      forged.cookies.set("tollgate_console.session_token", encodeURIComponent(value));
      expect((await forged.refresh()).status).toBe(401);
      expect((await forged.send("GET", "/api/admin/keys")).status).toBe(401);
    }
  });

  test("ends at once when its user signs out", async () => {
    const browser = running.browser();
    await browser.signIn(ownerEmail);
    const cookie = cookieOf(browser);
    const out = await browser.send("POST", "/console/auth/sign-out");
    expect(out.status).toBe(200);
    expect([...browser.cookies.keys()]).toEqual(["tollgate_console.device"]);
    browser.cookies.set("tollgate_console.session_token", cookie);
    expect((await browser.refresh()).status).toBe(401);
    expect((await browser.send("POST", "/console/auth/sign-out")).status).toBe(200);
  });

  test("ends at once when it is revoked, and only then", async () => {
    const browser = running.browser();
    await browser.signIn(ownerEmail);
    const list = (await owner.send("GET", "/console/sessions")).body.data ?? [];
    expect(list.filter(({ current }) => current === true)).toHaveLength(1);
    const { id } = (await browser.send("GET", "/console/session")).body as { id: string };
    const entry = list.find((each) => each["id"] === id);
    expect(entry).toMatchObject({ user: { email: ownerEmail }, current: false, address: "127.0.0.1" });
    expect((await browser.send("GET", "/api/admin/keys")).status).toBe(200);
    expect((await owner.send("DELETE", `/console/sessions/${id}`)).status).toBe(200);
    expect((await browser.send("GET", "/api/admin/keys")).status).toBe(401);
    expect((await owner.send("DELETE", `/console/sessions/${id}`)).status).toBe(404);
    expect((await owner.refresh()).status).toBe(200);
  });

  test("ends after its time, whatever it did meanwhile", async () => {
    const browser = running.browser();
    await browser.signIn(ownerEmail);
    const { expires_at: expiresAt } = (await browser.refresh()).body as { expires_at: number };
    // The library of sign-in goes by the time of the system.
    expect(Math.abs(expiresAt * 1000 - (Date.now() + 7 * 24 * 3_600_000))).toBeLessThan(60_000);
    const before = now;
    now = expiresAt * 1000 - 2_000;
    expect((await browser.refresh()).status).toBe(200);
    expect((await browser.refresh()).body["expires_at"]).toBe(expiresAt);
    now = expiresAt * 1000 + 1_000;
    expect((await browser.refresh()).status).toBe(401);
    now = before;
  });

  test("of a user who changes the password ends elsewhere", async () => {
    const email = "changer@example.com";
    const browser = await running.invited(owner, { email, role: "operator" });
    const elsewhere = running.browser();
    await elsewhere.signIn(email);
    const change = (currentPassword: string, newPassword: string) =>
      browser.send("POST", "/console/auth/change-password", { currentPassword, newPassword });
    expect(await change("wrong password", "a new long password")).toMatchObject({
      status: 400,
      body: { error: { param: "currentPassword" } },
    });
    expect(await change(password, "short")).toMatchObject({ status: 400, body: { error: { param: "newPassword" } } });
    const changed = await change(password, "a new long password");
    expect(changed).toMatchObject({ status: 200, body: { object: "console_sign_in" } });
    expect((await browser.refresh()).status).toBe(200);
    expect((await elsewhere.refresh()).status).toBe(401);
    expect((await running.browser().signIn(email)).status).toBe(401);
    expect((await running.browser().signIn(email, "a new long password")).status).toBe(200);
  });

  test("of which a user has more than twenty is the oldest that ends", async () => {
    const email = "many@example.com";
    const first = await running.invited(owner, { email, role: "operator" });
    for (let index = 0; index < 21; index++) {
      expect((await running.browser().signIn(email)).status).toBe(200);
    }
    expect((await first.refresh()).status).toBe(401);
  });
});

describe("guessing", () => {
  test("of one user's password ends after ten attempts, at once and for the true one too", async () => {
    now += 3_600_000;
    const email = "guessed@example.com";
    await running.invited(owner, { email, role: "operator" });
    const answers = await Promise.all(
      Array.from({ length: 14 }, (_, index) => running.browser().signIn(email, `wrong password ${index}`)),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(4);
    const refused = await running.browser().signIn(email);
    expect(refused).toMatchObject({ status: 429, body: { error: { code: "too_many_sign_ins" } } });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await running.browser().signIn(ownerEmail)).status).toBe(200);
    now += 15 * 60_000;
    expect((await running.browser().signIn(email)).status).toBe(200);
  });

  test("by a stranger keeps no user who is signed in from changing the password", async () => {
    now += 3_600_000;
    const email = "signed-in@example.com";
    const user = await running.invited(owner, { email, role: "operator" });
    for (let count = 0; count < 10; count++) await running.browser().signIn(email, "wrong");
    expect((await running.browser().signIn(email)).status).toBe(429);
    const change = (currentPassword: string) =>
      user.send("POST", "/console/auth/change-password", { currentPassword, newPassword: "a new password of tests" });
    expect((await change("wrong")).status).toBe(400);
    expect((await change(password)).status).toBe(200);
    now += 3_600_000;
    await running.browser().signIn(email, "a new password of tests");
    await user.signIn(email, "a new password of tests");
    for (let count = 0; count < 10; count++) expect((await change("wrong")).status).toBe(400);
    expect((await change("a new password of tests")).status).toBe(429);
  });

  test("by strangers shuts out no browser in which the user has signed in before", async () => {
    now += 3_600_000;
    const email = "known@example.com";
    const known = await running.invited(owner, { email, role: "operator" });
    await known.send("POST", "/console/auth/sign-out");
    const other = await running.invited(owner, { email: "another@example.com", role: "operator" });
    // From the same address: it has no attempts left either.
    for (let count = 0; count < 10; count++) await running.browser().signIn(email, "wrong");
    for (let count = 0; count < 25; count++) await running.browser().signIn(`nobody${count}@example.com`);
    expect((await running.browser().signIn(email)).status).toBe(429);
    for (const device of ["", "a", `${"A".repeat(22)}.9999999999.${"A".repeat(43)}`, deviceOf(other)]) {
      const stranger = running.browser();
      stranger.cookies.set("tollgate_console.device", device);
      expect([device, (await stranger.signIn(email)).status]).toEqual([device, 429]);
    }
    expect((await known.signIn(email)).status).toBe(200);
  });

  test("in a browser that is known ends after ten attempts too, and shuts out no other", async () => {
    now += 3_600_000;
    const email = "stolen@example.com";
    const known = await running.invited(owner, { email, role: "operator" });
    for (let count = 0; count < 10; count++) expect((await known.signIn(email, "wrong")).status).toBe(401);
    expect((await known.signIn(email)).status).toBe(429);
    expect((await running.browser().signIn(email)).status).toBe(200);
    const copy = running.browser();
    copy.cookies.set("tollgate_console.device", deviceOf(known));
    expect((await copy.signIn(email)).status).toBe(429);
  });

  test("for challenges from one address keeps no user who is signed in from adding a passkey", async () => {
    now += 3_600_000;
    const user = running.browser();
    await user.signIn(ownerEmail);
    const stranger = running.browser();
    const ask = () => stranger.send("GET", "/console/auth/passkey/generate-authenticate-options");
    for (let count = 0; count < 100; count++) expect((await ask()).status).toBe(200);
    expect(await ask()).toMatchObject({ status: 429, body: { error: { code: "too_many_sign_ins" } } });
    const own = () => user.send("GET", "/console/auth/passkey/generate-register-options");
    for (let count = 0; count < 100; count++) expect((await own()).status).toBe(200);
    expect((await own()).status).toBe(429);
  });

  test("from one address ends after thirty attempts, whomever they name", async () => {
    now += 3_600_000;
    const statuses: number[] = [];
    for (let index = 0; index < 32; index++) {
      statuses.push((await running.browser().signIn(`user${index}@example.com`)).status);
    }
    expect(statuses).toEqual([...Array.from({ length: 30 }, () => 401), 429, 429]);
    const link = await running.browser().send("POST", "/console/auth-setup", { token: "a", password });
    expect(link.status).toBe(429);
    expect((await owner.refresh()).status).toBe(200);
    now += 15 * 60_000;
    expect((await running.browser().signIn(ownerEmail)).status).toBe(200);
  });
});

test("the paths of the library that are not named are not served", async () => {
  const paths = [
    "sign-up/email",
    "get-session",
    "list-sessions",
    "revoke-session",
    "update-user",
    "delete-user",
    "request-password-reset",
    "reset-password",
    "verify-password",
    "set-password",
    "link-social",
    "ok",
    "error",
    "toString",
  ];
  for (const path of paths) {
    for (const method of ["GET", "POST"]) {
      const answer = await owner.send(method, `/console/auth/${path}`, method === "POST" ? {} : undefined);
      expect(answer).toMatchObject({ status: 404, body: { error: { code: "unknown_path" } } });
    }
  }
});

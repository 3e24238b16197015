import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ConsoleGateway, createBrowser, ownerEmail, password, startConsoleGateway } from "./console.testkit.ts";

/** From the set-up link to a session. */

describe.each(["sqlite", "postgres"] as const)("on %s", (kind) => {
  let running: ConsoleGateway;
  beforeAll(async () => {
    running = await startConsoleGateway(kind);
  });
  afterAll(() => running.stop());

  test("a set-up link makes the first owner once, and signs in", async () => {
    const browser = running.browser();
    expect(await browser.refresh()).toMatchObject({ status: 401, body: { error: { code: "not_signed_in" } } });
    const first = await running.setUpToken();
    const token = await running.setUpToken();
    const user = { name: "First Owner", email: "Owner@Example.com", password };
    const replaced = await browser.send("POST", "/console/auth-setup", { token: first, ...user });
    expect(replaced).toMatchObject({ status: 404, body: { error: { code: "link_not_valid" } } });
    const shown = await browser.send("POST", "/console/auth-setup/check", { token });
    expect(shown).toMatchObject({ status: 200, body: { kind: "set_up", email: null, role: "owner" } });

    const made = await browser.send("POST", "/console/auth-setup", { token, ...user });
    expect(made.body).toEqual({ object: "console_sign_in" });
    expect(made.status).toBe(200);
    const [cookie = ""] = made.headers.getSetCookie();
    expect(cookie).toMatch(/^tollgate_console\.session_token=[^;]+; /);
    expect(cookie).toContain("HttpOnly");
    expect(cookie).toContain("SameSite=Strict");
    expect(cookie).toContain("Path=/");
    expect(cookie).not.toContain("Secure");
    const session = await browser.refresh();
    expect(session.body["user"]).toMatchObject({
      name: "First Owner",
      email: ownerEmail,
      role: "owner",
      account_id: null,
    });

    const again = await browser.send("POST", "/console/auth-setup", { token, ...user, email: "other@example.com" });
    expect(again).toMatchObject({ status: 404, body: { error: { code: "link_not_valid" } } });
    expect(running.setUpToken()).rejects.toThrow("There is a user already.");
    const { data } = (await browser.send("GET", "/console/users")).body;
    expect(data).toHaveLength(1);

    const other = createBrowser(running.gateway.url);
    expect((await other.signIn(ownerEmail)).status).toBe(200);
    const changes = await running.storage.changes.list({ kind: "console_user", id: null, limit: 10, after: null });
    expect(changes).toMatchObject([{ action: "create", by: { kind: "console", user: ownerEmail } }]);
    expect(JSON.stringify(changes)).not.toContain("argon2");
  });
});

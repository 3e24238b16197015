import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { systemClock } from "../../src/clock.ts";
import { issueSetUpLink } from "../../src/console/links.ts";
import {
  createBrowser,
  ownerEmail,
  password,
  startConsoleGateway,
  tokenIn,
  type ConsoleGateway,
} from "./console.testkit.ts";
import { beginRequest } from "./slow-request.testkit.ts";

/** Links that make users: used once, in time, by one. */

describe("a set-up link", () => {
  let running: ConsoleGateway;
  let now = systemClock.now();
  beforeAll(async () => {
    running = await startConsoleGateway("sqlite", { clock: { now: () => now } });
  });
  afterAll(() => running.stop());
  const user = { name: "Owner", email: ownerEmail, password };

  test("is not valid if it is wrong, or an hour old", async () => {
    const browser = running.browser();
    const token = await running.setUpToken();
    for (const wrong of ["", "a".repeat(43), `${token}a`, token.slice(0, -1)]) {
      const answer = await browser.send("POST", "/console/auth-setup", { token: wrong, ...user });
      expect(answer).toMatchObject({ status: 404, body: { error: { code: "link_not_valid" } } });
    }
    now += 3_600_000;
    const late = await browser.send("POST", "/console/auth-setup", { token, ...user });
    expect(late).toMatchObject({ status: 404, body: { error: { code: "link_not_valid" } } });
    expect(await running.storage.console.hasUsers()).toBeFalse();
  });

  test.each([
    [{ name: "Owner", password }, "email"],
    [{ name: "Owner", email: "no address", password }, "email"],
    [{ email: ownerEmail, password }, "name"],
    [{ name: " ", email: ownerEmail, password }, "name"],
    [{ name: "Owner", email: ownerEmail }, "password"],
    [{ name: "Owner", email: ownerEmail, password: "short" }, "password"],
    [{ name: "Owner", email: ownerEmail, password: "x".repeat(129) }, "password"],
    [{ name: "Owner", email: ownerEmail, password, role: "owner" }, "role"],
  ])("names what is wrong in %j, and stays valid", async (body, param) => {
    const token = await running.setUpToken();
    const answer = await running.browser().send("POST", "/console/auth-setup", { token, ...body });
    expect(answer).toMatchObject({ status: 400, body: { error: { param } } });
    expect(await running.storage.console.hasUsers()).toBeFalse();
  });

  test("is stored as a hash", async () => {
    const token = await running.setUpToken();
    const bytes = await Bun.file(running.gateway.storageUrl.replace("sqlite:", "")).bytes();
    const log = await Bun.file(`${running.gateway.storageUrl.replace("sqlite:", "")}-wal`).bytes();
    expect(Buffer.from(bytes).includes(token) || Buffer.from(log).includes(token)).toBeFalse();
    expect(JSON.stringify(running.gateway.log)).not.toContain(token);
  });
});

describe.each(["sqlite", "postgres"] as const)("on %s", (kind) => {
  let running: ConsoleGateway;
  beforeAll(async () => {
    running = await startConsoleGateway(kind);
  });
  afterAll(() => running.stop());

  test("of many who use a set-up link at once, one is made owner", async () => {
    const token = await running.setUpToken();
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) => {
        const user = { name: "Owner", email: index === 0 ? ownerEmail : `owner${index}@example.com`, password };
        return createBrowser(running.gateway.url).send("POST", "/console/auth-setup", { token, ...user });
      }),
    );
    expect(answers.map(({ status }) => status).sort((one, other) => one - other)).toEqual([
      200, 404, 404, 404, 404, 404,
    ]);
    const users = await running.storage.console.listUsers(10);
    expect(users).toHaveLength(1);
    expect(await issueSetUpLink(running.storage.console, Date.now())).toBeNull();
  });

  test("an invitation makes a user with the role that it was given, once", async () => {
    const [owner] = await running.storage.console.listUsers(1);
    const browser = running.browser();
    await browser.signIn(owner?.email ?? "");
    const invitation = { email: "Operator@Example.com", name: "Operator", role: "operator" };
    const first = await browser.send("POST", "/console/users", invitation);
    const second = await browser.send("POST", "/console/users", invitation);
    expect(second).toMatchObject({ status: 201, body: { email: "operator@example.com", role: "operator" } });
    const invited = running.browser();
    const replaced = { token: tokenIn(first.body["link"]), password };
    expect((await invited.send("POST", "/console/auth-setup", replaced)).status).toBe(404);
    const token = tokenIn(second.body["link"]);
    const other = await invited.send("POST", "/console/auth-setup", { token, password, email: "other@example.com" });
    expect(other).toMatchObject({ status: 400, body: { error: { param: "email" } } });
    expect((await invited.send("POST", "/console/auth-setup", { token, password })).status).toBe(200);
    const { user } = (await invited.refresh()).body as { user: unknown };
    expect(user).toMatchObject({ email: "operator@example.com", name: "Operator", role: "operator", account_id: null });
    expect((await running.browser().send("POST", "/console/auth-setup", { token, password })).status).toBe(404);
    expect(await browser.send("POST", "/console/users", invitation)).toMatchObject({
      status: 409,
      body: { error: { code: "user_exists", param: "email" } },
    });
  });

  test.each(["removed", "made an operator"])(
    "the links of an owner who is %s end, and are in the trail",
    async (how) => {
      const [first] = await running.storage.console.listUsers(1);
      const owner = running.browser();
      await owner.signIn(first?.email ?? "");
      const email = `rogue-${how.length}@example.com`;
      const rogue = await running.invited(owner, { email, role: "owner" });
      const invitation = { email: `back-door-${how.length}@example.com`, name: "B", role: "owner" };
      const invited = await rogue.send("POST", "/console/users", invitation);
      const reset = await rogue.send("POST", `/console/users/${first?.id}/reset`);
      const changes = await running.storage.changes.list({ kind: "console_user", id: null, limit: 2, after: null });
      expect(changes.map(({ action, id, by }) => ({ action, id, by }))).toEqual([
        { action: "issue_reset", id: first?.id ?? "", by: { kind: "console", user: email } },
        { action: "invite", id: invitation.email, by: { kind: "console", user: email } },
      ]);
      expect(JSON.stringify(changes)).not.toContain(tokenIn(invited.body["link"]));

      const id = (await running.storage.console.findUserByEmail(email))?.id;
      const path = `/console/users/${id}`;
      const gone = how === "removed" ? owner.send("DELETE", path) : owner.send("PATCH", path, { role: "operator" });
      expect((await gone).status).toBe(200);
      for (const link of [invited.body["link"], reset.body["link"]]) {
        const answer = await running.browser().send("POST", "/console/auth-setup", { token: tokenIn(link), password });
        expect(answer).toMatchObject({ status: 404, body: { error: { code: "link_not_valid" } } });
      }
      expect((await owner.refresh()).status).toBe(200);
    },
  );

  test("an owner who is removed while a request comes in invites no one with it", async () => {
    const [first] = await running.storage.console.listUsers(1);
    const owner = running.browser();
    await owner.signIn(first?.email ?? "");
    const rogue = await running.invited(owner, { email: "slow@example.com", role: "owner" });
    const invitation = { email: "late@example.com", name: "Late", role: "owner" };
    const request = { method: "POST", path: "/console/users", body: invitation };
    const slow = await beginRequest(rogue, running.gateway.url, request);
    expect(slow.isAnswered).toBeFalse();
    const id = (await running.storage.console.findUserByEmail("slow@example.com"))?.id;
    expect((await owner.send("DELETE", `/console/users/${id}`)).status).toBe(200);
    expect((await slow.finish()).body).toContain("not_signed_in");
  });

  test("a reset link sets a new password, and ends the sessions of its user", async () => {
    const browser = running.browser();
    await browser.signIn("operator@example.com");
    const owner = running.browser();
    const [first] = await running.storage.console.listUsers(1);
    await owner.signIn(first?.email ?? "");
    const user = await running.storage.console.findUserByEmail("operator@example.com");
    const { status, body } = await owner.send("POST", `/console/users/${user?.id}/reset`);
    expect(status).toBe(201);
    const token = tokenIn(body["link"]);
    expect(await running.browser().send("POST", "/console/auth-setup/check", { token })).toMatchObject({
      status: 200,
      body: { kind: "reset", email: "operator@example.com" },
    });
    const fresh = running.browser();
    const secret = "another long password";
    expect((await fresh.send("POST", "/console/auth-setup", { token, password: secret })).status).toBe(200);
    expect((await fresh.refresh()).status).toBe(200);
    expect((await browser.refresh()).status).toBe(401);
    expect((await running.browser().signIn("operator@example.com")).status).toBe(401);
    expect((await running.browser().signIn("operator@example.com", secret)).status).toBe(200);
  });
});

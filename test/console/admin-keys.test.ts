import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { tester } from "../../src/changes/actor.testkit.ts";
import {
  type Browser,
  ownerEmail,
  password,
  startConsoleGateway,
  tokenIn,
  type ConsoleGateway,
} from "./console.testkit.ts";

/** Admin keys of users who lose the admin API. */

describe.each(["sqlite", "postgres"] as const)("on %s", (kind) => {
  let running: ConsoleGateway;
  let owner: Browser;
  beforeAll(async () => {
    running = await startConsoleGateway(kind);
    const account = { id: "team", name: "Team", mode: "unlimited" as const, markupBasisPoints: 0, createdAt: 0 };
    await running.storage.accounts.create(account, tester);
    owner = await running.owner();
  });
  afterAll(() => running.stop());

  const issue = async (browser: Browser, path: string, body: object) => {
    const answer = await browser.send("POST", path, body);
    expect([path, answer.status < 300]).toEqual([path, true]);
    return { id: String(answer.body["id"]), key: String(answer.body["key"]) };
  };
  const byKey = async (key: string, path: string, body: object) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const response = await running.gateway.fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
    return (await response.json()) as { readonly id: string; readonly key: string };
  };
  const worksOf = async (key: string) => {
    const response = await running.gateway.fetch("/api/admin/keys", { headers: { authorization: `Bearer ${key}` } });
    return response.status === 200;
  };

  /** An operator with keys made, handed on and got in all ways. */
  async function rogue(email: string) {
    const browser = await running.invited(owner, { email, role: "operator" });
    const own = await issue(browser, "/api/admin/keys", { name: "own", admin: true });
    const child = await byKey(own.key, "/api/admin/keys", { name: "child", admin: true });
    const grandchild = await byKey(child.key, "/api/admin/keys", { name: "grandchild", admin: true });
    const before = await issue(owner, "/api/admin/keys", { name: "rotated by the operator", admin: true });
    const rotated = await issue(browser, `/api/admin/keys/${before.id}/rotate`, {});
    const handedOver = await issue(browser, "/api/admin/keys", { name: "handed over", admin: true });
    const taken = await issue(owner, `/api/admin/keys/${handedOver.id}/rotate`, {});
    const plain = await issue(browser, "/api/admin/keys", { name: "plain" });
    const promoted = await issue(browser, "/api/admin/keys", { name: "promoted" });
    await owner.send("PATCH", `/api/admin/keys/${promoted.id}`, { admin: true });
    const foreign = await issue(owner, "/api/admin/keys", { name: "foreign", admin: true });
    const id = (await running.storage.console.findUserByEmail(email))?.id ?? "";
    return {
      browser,
      path: `/console/users/${id}`,
      theirs: [own, child, grandchild, rotated, promoted],
      others: [taken, foreign],
      plain,
    };
  }
  const names = (list: unknown) => (list as readonly { readonly name: string }[]).map(({ name }) => name).toSorted();
  const theirs = ["child", "grandchild", "own", "promoted", "rotated by the operator"];

  test("of a removed user are disabled, with those made by them, and no one else's", async () => {
    const { path, theirs: keys, others, plain } = await rogue("rogue@example.com");
    expect(names((await owner.send("GET", `${path}/admin-keys`)).body.data)).toEqual(theirs);
    const removed = await owner.send("DELETE", path);
    expect(removed.status).toBe(200);
    expect(names(removed.body["disabled_keys"])).toEqual(theirs);
    for (const { key } of keys) expect(await worksOf(key)).toBeFalse();
    for (const { key } of others) expect(await worksOf(key)).toBeTrue();
    expect((await owner.send("GET", `/api/admin/keys/${plain.id}`)).body["status"]).toBe("active");
    const changes = await running.storage.changes.list({ kind: "key", id: keys[0]?.id ?? "", limit: 1, after: null });
    expect(changes).toMatchObject([{ action: "disable", by: { kind: "console", user: ownerEmail } }]);
  });

  test("are disabled when the user becomes a member, and stay if the owner says so", async () => {
    const demoted = await rogue("demoted@example.com");
    const asOperator = await owner.send("PATCH", demoted.path, { name: "Still an operator" });
    expect(asOperator.body["disabled_keys"]).toEqual([]);
    const asMember = await owner.send("PATCH", demoted.path, { role: "member", account_id: "team" });
    expect(names(asMember.body["disabled_keys"])).toEqual(theirs);
    for (const { key } of demoted.theirs) expect(await worksOf(key)).toBeFalse();

    const kept = await rogue("kept@example.com");
    expect(await owner.send("DELETE", `${kept.path}?admin_keys=maybe`)).toMatchObject({
      status: 400,
      body: { error: { param: "admin_keys" } },
    });
    expect((await owner.send("DELETE", `${kept.path}?admin_keys=keep`)).body["disabled_keys"]).toEqual([]);
    for (const { key } of kept.theirs) expect(await worksOf(key)).toBeTrue();
  });

  test("of the last owner, who cannot be removed, stay", async () => {
    const { key } = await issue(owner, "/api/admin/keys", { name: "the owner's", admin: true });
    const id = (await running.storage.console.findUserByEmail(ownerEmail))?.id;
    expect((await owner.send("DELETE", `/console/users/${id}`)).status).toBe(409);
    expect(await worksOf(key)).toBeTrue();
  });

  test("a key says who created it", async () => {
    const list = (await owner.send("GET", "/api/admin/keys?limit=100")).body.data ?? [];
    const creatorOf = (name: string) => list.find((key) => key["name"] === name)?.["created_by"];
    expect(creatorOf("foreign")).toEqual({ kind: "console", user: ownerEmail });
    expect(creatorOf("child")).toMatchObject({ kind: "key" });
    const made = await owner.send("POST", "/api/admin/keys", { name: "new" });
    expect(made.body["created_by"]).toEqual({ kind: "console", user: ownerEmail });
    const shown = await owner.send("GET", `/api/admin/keys/${String(made.body["id"])}`);
    expect(shown.body["created_by"]).toEqual({ kind: "console", user: ownerEmail });
  });

  test("invitations and resets are listed, and cannot be used once they are revoked", async () => {
    const invited = await owner.send("POST", "/console/users", { email: "late@example.com", name: "L", role: "owner" });
    const user = await running.storage.console.findUserByEmail(ownerEmail);
    const reset = await owner.send("POST", `/console/users/${user?.id}/reset`);
    const list = (await owner.send("GET", "/console/invitations")).body.data ?? [];
    expect(
      list
        .map(({ kind: what, email }) => ({ what, email }))
        .toSorted((a, b) => (String(a.what) < String(b.what) ? -1 : 1)),
    ).toEqual([
      { what: "invitation", email: "late@example.com" },
      { what: "reset", email: ownerEmail },
    ]);
    for (const link of [invited, reset]) expect(JSON.stringify(list)).not.toContain(tokenIn(link.body["link"]));
    for (const { id } of list) {
      expect((await owner.send("DELETE", `/console/invitations/${String(id)}`)).status).toBe(200);
      expect((await owner.send("DELETE", `/console/invitations/${String(id)}`)).status).toBe(404);
    }
    for (const link of [invited, reset]) {
      const body = { token: tokenIn(link.body["link"]), password };
      const answer = await running.browser().send("POST", "/console/auth-setup", body);
      expect(answer).toMatchObject({ status: 404, body: { error: { code: "link_not_valid" } } });
    }
    expect((await owner.send("GET", "/console/invitations")).body.data).toEqual([]);
    const changes = await running.storage.changes.list({ kind: "console_user", id: null, limit: 2, after: null });
    expect(changes.map(({ action }) => action).toSorted()).toEqual(["revoke_invite", "revoke_reset"]);
    const member = await running.invited(owner, { email: "m@example.com", role: "member", account_id: "team" });
    for (const [method, path] of [
      ["GET", "/console/invitations"],
      ["DELETE", "/console/invitations/a"],
    ] as const) {
      expect((await member.send(method, path)).status).toBe(403);
    }
  });
});

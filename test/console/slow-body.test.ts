import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { tester } from "../../src/changes/actor.testkit.ts";
import { dialects } from "../../src/dialects/registry.ts";
import { createPathTable } from "../../src/endpoints/path-table.ts";
import { type Browser, startConsoleGateway, type ConsoleGateway } from "./console.testkit.ts";
import { beginRequest } from "./slow-request.testkit.ts";

/** Operators who lose their role while the body of a request comes. The paths are those of the path table. */

const writes = createPathTable(dialects)
  .entries.filter(({ path }) => path.startsWith("/api/admin/"))
  .flatMap(({ path, handlers }) =>
    Object.keys(handlers)
      .filter((method) => method !== "GET" && method !== "DELETE")
      .map((method) => ({ method, path: path.replaceAll(/\{\w+\+?\}/g, path.includes("/prices/") ? "1" : "default") })),
  )
  .map(({ method, path }) => ({ method, path: path.endsWith("/import") ? `${path}?format=tollgate` : path }));

let running: ConsoleGateway;
let owner: Browser;
beforeAll(async () => {
  running = await startConsoleGateway();
  const account = { id: "team", name: "Team", mode: "unlimited" as const, markupBasisPoints: 0, createdAt: Date.now() };
  await running.storage.accounts.create(account, tester);
  owner = await running.owner();
});
afterAll(() => running.stop());

describe.each(["is removed", "becomes a member"])("an operator who %s while a body comes", (how) => {
  test("changes nothing at any path for operators", async () => {
    const email = `${how.replaceAll(" ", "-")}@example.com`;
    const rogue = await running.invited(owner, { email, role: "operator" });
    const begun = await Promise.all(
      writes.map(async (request) => ({
        name: `${request.method} ${request.path}`,
        request: await beginRequest(rogue, running.gateway.url, { ...request, body: { name: "late" } }),
      })),
    );
    // Some need no body, or find out before it that there is no such thing.
    const waiting = begun.filter(({ request }) => !request.isAnswered);
    expect(waiting.length).toBeGreaterThanOrEqual(15);

    const path = `/console/users/${(await running.storage.console.findUserByEmail(email))?.id}`;
    const gone =
      how === "is removed"
        ? owner.send("DELETE", path)
        : owner.send("PATCH", path, { role: "member", account_id: "team" });
    expect((await gone).status).toBe(200);

    const status = how === "is removed" ? 401 : 403;
    for (const { name, request } of waiting) {
      const answer = await request.finish();
      expect({ name, status: answer.status }).toEqual({ name, status });
    }
    const keys = await running.storage.keys.list();
    expect(keys.filter(({ name }) => name === "late")).toEqual([]);
  });
});

test("a key that is disabled while its body comes changes nothing", async () => {
  const { key, id } = await running.gateway.newKey({ admin: true });
  const nobody = running.browser();
  const send: Browser = { ...nobody, cookies: new Map(), csrf: "" };
  const request = await beginRequest(send, running.gateway.url, {
    method: "POST",
    path: `/api/admin/keys?key=${key}`,
    body: { name: "late" },
  });
  expect(request.isAnswered).toBeFalse();
  expect((await owner.send("PATCH", `/api/admin/keys/${id}`, { disabled: true })).status).toBe(200);
  expect((await request.finish()).status).toBe(401);
});

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";

/** The admin API for routes. */

let gateway: TestGateway;
/** Another gateway on the same storage. */
let second: TestGateway;
let admin: string;

beforeAll(async () => {
  const routes = [{ kind: "alias", id: "fixed", leadsTo: "sandbox-chat" }] as const;
  gateway = await startTestGateway({ routes });
  second = await startTestGateway({ routes, folder: gateway.folder });
  ({ key: admin } = await gateway.newKey({ admin: true }));
});
afterAll(async () => {
  await second.stop();
  await gateway.stop();
});

interface Answer {
  readonly status: number;
  readonly body: {
    readonly error?: { readonly type: string; readonly code: string; readonly param: string | null; message: string };
    readonly data?: readonly (Readonly<Record<string, unknown>> & { readonly id: string })[];
    readonly [name: string]: unknown;
  };
}

async function send(method: string, path: string, body?: unknown, key = admin): Promise<Answer> {
  const response = await gateway.fetch(`/api/admin/routes${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  expect(response.headers.get("x-service-request-id")).toStartWith("req_");
  return { status: response.status, body: (await response.json()) as Answer["body"] };
}

const put = (id: string, body: unknown) => send("PUT", `/${id}`, body);

async function listed() {
  return (await send("GET", "")).body.data ?? [];
}

/** The model that answered for this name, or the error code. */
async function whoAnswers(name: string, at = gateway): Promise<string | null> {
  const response = await at.chat({ model: name }, { headers: { authorization: `Bearer ${gateway.key}` } });
  const body = (await response.json()) as { error?: { code: string } };
  if (body.error) return body.error.code;
  const record = await at.record(response.headers.get("x-service-request-id"), gateway.key);
  return record.routing.resolved_model;
}

beforeEach(async () => {
  // Routes that refer to others are removed first.
  for (let rounds = 0; rounds < 5; rounds++) {
    for (const { id } of await listed()) if (id !== "fixed") await send("DELETE", `/${id}`);
  }
});

describe("a stored route", () => {
  test("works at once, can be changed, and is gone when it is deleted", async () => {
    expect(await whoAnswers("fast")).toBe("model_not_found");
    expect(await put("fast", { alias: "sandbox-chat" })).toEqual({
      status: 200,
      body: { id: "fast", source: "storage", line: null, alias: "sandbox-chat", updated_at: expect.any(Number) },
    });
    expect(await whoAnswers("fast")).toBe("sandbox-chat");
    await put("fast", { alias: "sandbox-reasoning" });
    expect(await whoAnswers("fast")).toBe("sandbox-reasoning");
    expect(await send("DELETE", "/fast")).toEqual({
      status: 200,
      body: { id: "fast", object: "route", deleted: true },
    });
    expect(await whoAnswers("fast")).toBe("model_not_found");
    expect(await send("DELETE", "/fast")).toMatchObject({
      status: 404,
      body: { error: { type: "not_found_error", code: "route_not_found" } },
    });
  });

  test("may be a policy, with slashes in its name", async () => {
    const policy = { strategy: "weighted", targets: ["fixed", { model: "sandbox-reasoning", weight: 3 }] };
    expect(await put("team/either", { ...policy, retry: { attempts: 2 }, hedge_after_ms: null })).toMatchObject({
      status: 200,
      body: {
        id: "team/either",
        strategy: "weighted",
        targets: [
          { model: "fixed", weight: 1 },
          { model: "sandbox-reasoning", weight: 3 },
        ],
        requires: [],
        retry: { attempts: 2, budget_ms: 60_000 },
        hedge_after_ms: null,
      },
    });
    expect(await whoAnswers("team/either")).toMatch(/^sandbox-(chat|reasoning)$/);
  });

  test("is applied by another gateway on the same storage", async () => {
    await put("shared", { alias: "sandbox-chat" });
    for (const expected of ["sandbox-chat", "sandbox-reasoning", "model_not_found"]) {
      if (expected === "sandbox-reasoning") await put("shared", { alias: expected });
      if (expected === "model_not_found") await send("DELETE", "/shared");
      let found = await whoAnswers("shared", second);
      for (let tries = 0; tries < 200 && found !== expected; tries++) {
        await Bun.sleep(20);
        found = await whoAnswers("shared", second);
      }
      expect(found).toBe(expected);
    }
  });

  test("survives a restart", async () => {
    await put("kept", { alias: "sandbox-reasoning" });
    const third = await startTestGateway({ folder: gateway.folder });
    expect(await whoAnswers("kept", third)).toBe("sandbox-reasoning");
    await third.stop();
  });

  test("whose model is gone is not in force and logged, and the others are served", async () => {
    await put("orphan", { alias: "fixed" });
    await put("child", { alias: "sandbox-chat" });
    // That one has no configured routes.
    const third = await startTestGateway({ folder: gateway.folder });
    expect(await whoAnswers("orphan", third)).toBe("model_not_found");
    expect(await whoAnswers("child", third)).toBe("sandbox-chat");
    expect(third.log.filter(({ level, fields }) => level === "warn" && fields["route"] === "orphan")).toHaveLength(1);
    const response = await third.fetch("/api/admin/routes", { headers: { authorization: `Bearer ${admin}` } });
    expect(await response.json()).toMatchObject({ data: [{ id: "child" }, { problem: expect.any(String) }] });
    await third.stop();
  });
});

describe("the list", () => {
  test("has the configured routes first, then the stored ones by name", async () => {
    await put("b", { alias: "fixed" });
    await put("a", { alias: "b" });
    expect(await send("GET", "")).toEqual({
      status: 200,
      body: {
        object: "list",
        data: [
          { id: "fixed", source: "config", line: null, alias: "sandbox-chat", updated_at: null },
          { id: "a", source: "storage", line: null, alias: "b", updated_at: expect.any(Number) },
          { id: "b", source: "storage", line: null, alias: "fixed", updated_at: expect.any(Number) },
        ],
      },
    });
  });

  test("shows routes in the format of PUT", async () => {
    await put("p", { targets: ["sandbox-chat", "sandbox-reasoning"], requires: ["tools"], hedge_after_ms: 100 });
    const [, shown] = await listed();
    const { id: _id, source: _source, line: _line, updated_at: _at, ...fields } = shown ?? { id: "none" };
    expect((await put("p", fields)).body).toMatchObject(fields);
  });
});

describe("an error", () => {
  test.each<[string, unknown, number, string, string | null]>([
    ["a", { alias: "nowhere" }, 400, "invalid_parameter", "alias"],
    ["a", { alias: "a" }, 400, "invalid_parameter", "alias"],
    ["a", { targets: ["sandbox-chat", "fixed"] }, 400, "invalid_parameter", "targets[1]"],
    ["a", { targets: ["sandbox-chat"], strategy: "random" }, 400, "invalid_parameter", "strategy"],
    ["a", { alias: "fixed", hedge_after_ms: 5 }, 400, "invalid_parameter", "hedge_after_ms"],
    ["a%20b", { alias: "fixed" }, 400, "invalid_parameter", "id"],
    ["sandbox-chat", { alias: "fixed" }, 400, "invalid_parameter", "id"],
    ["a", [], 400, "invalid_json", null],
    ["a", "{", 400, "invalid_json", null],
    ["a", "", 400, "invalid_json", null],
    ["fixed", { alias: "sandbox-reasoning" }, 409, "route_in_configuration", null],
  ])("%s: %j", async (id, body, status, code, param) => {
    const answer = await put(id, body);
    expect(answer).toMatchObject({ status, body: { error: { code, param } } });
    expect(await listed()).toHaveLength(1);
  });

  test("a body of more than 64 KiB", async () => {
    expect(await put("a", { alias: "x".repeat(70_000) })).toMatchObject({
      status: 413,
      body: { error: { code: "body_too_large" } },
    });
  });

  test("for a circle through other routes", async () => {
    await put("a", { alias: "sandbox-chat" });
    await put("b", { alias: "a" });
    const { status, body } = await put("a", { alias: "b" });
    expect({ status, param: body.error?.param }).toEqual({ status: 400, param: "alias" });
    expect(body.error?.message).toContain("a -> b -> a");
    expect(await whoAnswers("b")).toBe("sandbox-chat");
  });

  test("for deleting a route in use or a configured one", async () => {
    await put("a", { alias: "sandbox-chat" });
    await put("b", { alias: "a" });
    const { status, body } = await send("DELETE", "/a");
    expect({ status, code: body.error?.code }).toEqual({ status: 409, code: "route_in_use" });
    expect(body.error?.message).toContain("'b'");
    expect(await send("DELETE", "/fixed")).toMatchObject({
      status: 409,
      body: { error: { type: "conflict_error", code: "route_in_configuration" } },
    });
  });

  test.each([
    ["GET", ""],
    ["PUT", "/a"],
    ["DELETE", "/a"],
  ])("%s%s with a key without admin rights", async (method, path) => {
    const body = method === "PUT" ? { alias: "sandbox-chat" } : undefined;
    expect(await send(method, path, body, gateway.key)).toMatchObject({
      status: 403,
      body: { error: { type: "permission_error", code: "endpoint_not_allowed" } },
    });
    expect(await send(method, path, body, "sk-tg-nobody")).toMatchObject({ status: 401 });
  });

  test("for an unsupported method, with the allowed ones", async () => {
    const response = await gateway.fetch("/api/admin/routes/a", { method: "PATCH" });
    expect({ status: response.status, allow: response.headers.get("allow") }).toEqual({
      status: 405,
      allow: "PUT, DELETE, OPTIONS",
    });
  });
});

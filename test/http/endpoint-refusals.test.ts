import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { type Caller, callers } from "../dialects/callers.testkit.ts";
import { modelOf, startDialectGateway } from "../dialects/gateway.testkit.ts";
import { post, requestIdOf } from "../dialects/post.testkit.ts";
import type { TestGateway, TestKey } from "../gateway.testkit.ts";

/** Errors common to all conversation endpoints, in their own error formats, before a provider is called. */

const maxBodyBytes = 20_000;
const model = modelOf("openai-chat");

let gateway: TestGateway;
let scoped: TestKey;
let otherEndpoint: TestKey;
let expired: TestKey;
let hurried: TestKey;
beforeAll(async () => {
  gateway = await startDialectGateway({ server: { maxBodyBytes } });
  scoped = await gateway.newKey({ scopes: { models: ["another"] } });
  otherEndpoint = await gateway.newKey({ scopes: { endpoints: ["embeddings"] } });
  expired = await gateway.newKey({ expiresAt: 1 });
  hurried = await gateway.newKey({ limits: { requestsPerMinute: 1 } });
});
afterAll(() => gateway.stop());

interface Refusal {
  readonly status: number;
  readonly code: string;
  /** Whether a record is kept: not for an invalid key or a rate limit. */
  readonly recorded: boolean;
  readonly send: (caller: Caller) => Promise<Response>;
}

const json = { "content-type": "application/json" };

function sendRaw(
  caller: Caller,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string>> = json,
): Promise<Response> {
  return gateway.fetch(caller.path(model, false), { method: "POST", headers, body });
}

function sendAs(caller: Caller, key: string): Promise<Response> {
  const headers = { ...json, authorization: `Bearer ${key}` };
  return sendRaw(caller, JSON.stringify(caller.body(model, "Hi")), headers);
}

const good = (caller: Caller) => JSON.stringify(caller.body(model, "Hi"));
const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

const refusals: Readonly<Record<string, Refusal>> = {
  "no JSON": { status: 400, code: "invalid_json", recorded: true, send: (caller) => sendRaw(caller, '{"a":') },
  "an array": { status: 400, code: "invalid_json", recorded: true, send: (caller) => sendRaw(caller, "[1]") },
  "no UTF-8": {
    status: 400,
    code: "invalid_json",
    recorded: true,
    send: (caller) => sendRaw(caller, new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])),
  },
  "JSON of 257 levels": {
    status: 400,
    code: "invalid_json",
    recorded: true,
    send: (caller) => sendRaw(caller, good(caller).replace("{", `{"deep":${nested(256)},`)),
  },
  "a body in an unknown coding": {
    status: 415,
    code: "unsupported_media_type",
    recorded: true,
    send: (caller) => sendRaw(caller, gzipSync(good(caller)), { ...json, "content-encoding": "compress" }),
  },
  "a form": {
    status: 415,
    code: "unsupported_media_type",
    recorded: true,
    send: (caller) => sendRaw(caller, good(caller), { "content-type": "application/x-www-form-urlencoded" }),
  },
  "a body over the limit": {
    status: 413,
    code: "body_too_large",
    recorded: true,
    send: (caller) => post(gateway, caller, model, "x".repeat(maxBodyBytes)),
  },
  "an unknown model": {
    status: 404,
    code: "model_not_found",
    recorded: true,
    send: (caller) => post(gateway, caller, "nobody", "Hi"),
  },
  "a model that serves something else": {
    status: 400,
    code: "unsupported_endpoint",
    recorded: true,
    send: (caller) => post(gateway, caller, "embeddings-by-gemini", "Hi"),
  },
  "a wrong key": {
    status: 401,
    code: "invalid_api_key",
    recorded: false,
    send: (caller) => sendAs(caller, "sk-tg-nonsense"),
  },
  "an expired key": {
    status: 401,
    code: "expired_api_key",
    recorded: false,
    send: (caller) => sendAs(caller, expired.key),
  },
};

describe.each(callers.map((caller) => [caller.name, caller] as const))("%s refuses", (_name, caller) => {
  test.each(Object.entries(refusals))("%s", async (_what, { status, code, recorded, send }) => {
    const calls = gateway.sandbox.requests.length;
    const response = await send(caller);
    const requestId = requestIdOf(response);
    const body = await response.text();
    expect(response.status).toBe(status);
    expect(response.headers.get(caller.idHeader)).toBe(requestId);
    expect(JSON.parse(body)).toMatchObject(withoutParam(caller.envelope({ status, code, requestId })));
    expect(gateway.sandbox.requests.length).toBe(calls);
    if (recorded) {
      expect(await gateway.record(requestId)).toMatchObject({
        status: "refused",
        billing: { amount_microusd: 0, line_items: [] },
        routing: { status_code: status, attempts: 0 },
      });
    }
    expect((await post(gateway, caller, model, "Hi")).status).toBe(200);
  });

  test("a key for other models or endpoints, or over its rate limit", async () => {
    const statuses: number[] = [];
    for (const { key } of [scoped, otherEndpoint]) statuses.push((await sendAs(caller, key)).status);
    expect(statuses).toEqual([403, 403]);
    const inTurn = [await sendAs(caller, hurried.key), await sendAs(caller, hurried.key)];
    expect(inTurn[1]?.status).toBe(429);
    expect(Number(inTurn[1]?.headers.get("retry-after"))).toBeGreaterThan(0);
  });
});

/** The named field depends on the dialect and is tested there. */
function withoutParam(envelope: object): object {
  const { error, ...rest } = envelope as { readonly error: Readonly<Record<string, unknown>> };
  const { param: _param, ...facts } = error;
  return { ...rest, error: facts };
}

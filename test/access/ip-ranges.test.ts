import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";

/** Keys that may be used from some addresses only. */

interface Told {
  readonly error?: { readonly code: string; readonly param: string | null; readonly message: string };
  readonly id?: string;
  readonly ip_ranges?: readonly string[] | null;
}

let gateway: TestGateway;
let proxied: TestGateway;
let admin: Record<string, string>;
beforeAll(async () => {
  [gateway, proxied] = await Promise.all([
    startTestGateway(),
    startTestGateway({ server: { trustedProxies: ["127.0.0.0/8"] } }),
  ]);
  const { key } = await gateway.newKey({ admin: true });
  admin = { authorization: `Bearer ${key}`, "content-type": "application/json" };
});
afterAll(() => Promise.all([gateway.stop(), proxied.stop()]));

async function told(response: Response) {
  const { error } = (await response.json()) as Told;
  return error === undefined ? response.status : [response.status, error.code];
}

const refused = [403, "ip_not_allowed"];

describe("IP ranges of a key", () => {
  test("let in the addresses that they have, on every path", async () => {
    const inside = await gateway.newKey({ scopes: { ipRanges: ["192.0.2.0/24", "127.0.0.0/8"] } });
    const outside = await gateway.newKey({ scopes: { ipRanges: ["192.0.2.0/24", "::1"] } });
    const get = (path: string, { key }: { key: string }) =>
      gateway.fetch(path, { headers: { authorization: `Bearer ${key}` } });
    expect(await told(await gateway.chat({}, { headers: { authorization: `Bearer ${inside.key}` } }))).toBe(200);
    expect(await told(await gateway.chat({}, { headers: { authorization: `Bearer ${outside.key}` } }))).toEqual(
      refused,
    );
    for (const path of ["/v1/models", "/api/usage/requests", "/api/account", "/v1/files", "/api/models/catalog"]) {
      expect([path, await told(await get(path, inside))]).toEqual([path, 200]);
      expect([path, await told(await get(path, outside))]).toEqual([path, refused]);
    }
    const operator = await gateway.newKey({ admin: true, scopes: { ipRanges: ["192.0.2.0/24"] } });
    expect(await told(await get("/api/admin/keys", operator))).toEqual(refused);
  });

  test("a refusal says from where, calls no provider, and leaves a record", async () => {
    const { id, key } = await gateway.newKey({ scopes: { ipRanges: ["2001:db8::/32"] } });
    gateway.sandbox.reset();
    const answer = await gateway.chat(
      {},
      { headers: { authorization: `Bearer ${key}`, "x-forwarded-for": "2001:db8::1" } },
    );
    const { error } = (await answer.json()) as Told;
    expect(error?.message).toBe("This API key may not be used from 127.0.0.1.");
    expect(gateway.sandbox.requests.length).toBe(0);
    const requestId = answer.headers.get("x-service-request-id") ?? "";
    const record = await gateway.fetch(`/api/admin/requests/${requestId}`, { headers: admin });
    expect(await record.json()).toMatchObject({ status: "refused", key_id: id, error: { code: "ip_not_allowed" } });
  });

  test("behind a trusted proxy the address is the one that the proxy tells", async () => {
    const { key } = await proxied.newKey({ scopes: { ipRanges: ["198.51.100.0/24"] } });
    const from = async (forwarded: string | null) => {
      const headers = { authorization: `Bearer ${key}`, ...(forwarded !== null && { "x-forwarded-for": forwarded }) };
      return told(await proxied.chat({}, { headers }));
    };
    expect(await from("203.0.113.1, 198.51.100.7")).toBe(200);
    expect(await from("198.51.100.7, 127.0.0.1")).toBe(200);
    // The caller has written the first one, and the proxy has added the second.
    expect(await from("198.51.100.7, 203.0.113.1")).toEqual(refused);
    expect(await from(null)).toEqual(refused);
    expect(await from("nonsense")).toEqual(refused);
  });
});

describe("IP ranges in the admin API", () => {
  const ask = async (method: string, path: string, body: unknown) => {
    const answer = await gateway.fetch(path, { method, headers: admin, body: JSON.stringify(body) });
    return { status: answer.status, told: (await answer.json()) as Told };
  };

  test("are set, written in one way, changed at once, and removed", async () => {
    const ranges = ["192.0.2.0/24", "2001:DB8:0::/32", "::ffff:198.51.100.7"];
    const created = await ask("POST", "/api/admin/keys", { name: "ranged", ip_ranges: ranges });
    expect(created.told.ip_ranges).toEqual(["192.0.2.0/24", "2001:db8::/32", "198.51.100.7"]);
    const { key } = created.told as { readonly key?: string };
    const call = async () => told(await gateway.chat({}, { headers: { authorization: `Bearer ${key}` } }));
    const path = `/api/admin/keys/${created.told.id}`;
    expect(await call()).toEqual(refused);
    expect((await ask("PATCH", path, { ip_ranges: ["127.0.0.1"] })).told.ip_ranges).toEqual(["127.0.0.1"]);
    expect(await call()).toBe(200);
    expect((await ask("PATCH", path, { name: "still ranged" })).told.ip_ranges).toEqual(["127.0.0.1"]);
    expect((await ask("PATCH", path, { ip_ranges: null })).told.ip_ranges).toBeNull();
    expect(await call()).toBe(200);
  });

  test("are refused by name if they are none", async () => {
    for (const ip_ranges of [["192.0.2.1/24"], ["example.com"], [], [1], "10.0.0.0/8", Array(101).fill("10.0.0.0/8")]) {
      const { status, told: body } = await ask("POST", "/api/admin/keys", { name: "bad", ip_ranges });
      expect([ip_ranges, status, body.error?.code]).toEqual([ip_ranges, 400, "invalid_parameter"]);
      expect(body.error?.param).toStartWith("ip_ranges");
    }
  });

  test("an admin key does not limit itself", async () => {
    const own = await gateway.newKey({ admin: true });
    const headers = { authorization: `Bearer ${own.key}`, "content-type": "application/json" };
    const body = JSON.stringify({ ip_ranges: ["192.0.2.0/24"] });
    const answer = await gateway.fetch(`/api/admin/keys/${own.id}`, { method: "PATCH", headers, body });
    expect(await told(answer)).toEqual([409, "own_key"]);
  });
});

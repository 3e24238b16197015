import { describe, expect, test } from "bun:test";
import { until } from "../until.testkit.ts";
import { type AdminGateway, onBothStorages } from "./admin.testkit.ts";

/** The admin API for keys. */

onBothStorages((context) => {
  const send: AdminGateway["send"] = (...words) => context().send(...words);

  /** The error code that a chat request with this key is answered with; null if it is served. */
  async function refusal(key: string, { gateway } = context(), model = "sandbox-chat"): Promise<string | null> {
    const response = await gateway.chat({ model }, { headers: { authorization: `Bearer ${key}` } });
    const body = (await response.json()) as { error?: { code: string } };
    return body.error?.code ?? null;
  }

  async function newKey(settings: object = {}) {
    const { status, body } = await send("POST", "/keys", { name: "new", ...settings });
    expect(status).toBe(201);
    return { id: String(body.id), key: String(body.key), body };
  }

  const trailOf = async (id: string) => (await send("GET", `/changes?id=${id}`)).body.data ?? [];

  describe("a key", () => {
    test("is created with all settings, works at once, and its secret is shown once", async () => {
      const expiry = Math.floor(Date.now() / 1000) + 3_600;
      const settings = {
        name: "Zoë's laptop",
        models: ["sandbox-chat", "local/*"],
        endpoints: ["chat"],
        domains: ["example.com"],
        ip_ranges: ["127.0.0.0/8", "::1"],
        limits: { requests_per_minute: 60, tokens_per_minute: 1_000_000 },
        tags: { team: "search" },
        expires_at: expiry,
        admin: false,
      };
      const { id, key, body } = await newKey(settings);
      expect(key).toMatch(new RegExp(`^sk-tg-${id}-`));
      const shown = {
        ...settings,
        id,
        account: "default",
        status: "active",
        limits: { ...settings.limits, concurrent_requests: null },
        created_at: expect.any(Number) as number,
        created_by: { kind: "key", id: expect.any(String) as string },
        disabled_at: null,
        old_secret_expires_at: null,
      };
      expect(body).toEqual({ ...shown, key });
      expect(await send("GET", `/keys/${id}`)).toMatchObject({ status: 200, body: shown });
      expect((await send("GET", `/keys/${id}`)).body).not.toHaveProperty("key");
      expect(await refusal(key)).toBeNull();
      expect(await refusal(key, context(), "sandbox-reasoning")).toBe("model_not_allowed");
    });

    test("with a name alone may use everything, and takes RFC 3339", async () => {
      const { body } = await newKey({ name: " plain ", limits: {}, expires_at: "2999-01-01T00:00:00+01:00" });
      expect(body).toMatchObject({ name: "plain", models: null, endpoints: null, admin: false, status: "active" });
      expect(body.expires_at).toBe(Date.parse("2998-12-31T23:00:00Z") / 1000);
    });

    test("is changed in part, and a running gateway takes it up at once", async () => {
      const { id, key } = await newKey({ limits: { requests_per_minute: 5, tokens_per_minute: 7_000_000 } });
      expect(await refusal(key)).toBeNull();
      const changed = await send("PATCH", `/keys/${id}`, {
        models: ["other"],
        limits: { requests_per_minute: null },
        tags: { team: "ads" },
      });
      expect(changed).toMatchObject({
        status: 200,
        body: {
          name: "new",
          tags: { team: "ads" },
          models: ["other"],
          limits: { requests_per_minute: null, tokens_per_minute: 7_000_000 },
        },
      });
      expect(await refusal(key)).toBe("model_not_allowed");
      await until(
        "the other gateway",
        async () => (await refusal(key, { ...context(), gateway: context().other })) === "model_not_allowed",
      );
      const renamed = await send("PATCH", `/keys/${id}`, { models: null, name: "renamed", tags: { env: "prod" } });
      expect(renamed.body).toMatchObject({ name: "renamed", tags: { env: "prod" } });
      expect(await refusal(key)).toBeNull();
    });

    test("is disabled and enabled", async () => {
      const { id, key } = await newKey();
      expect(await send("PATCH", `/keys/${id}`, { disabled: true })).toMatchObject({ body: { status: "disabled" } });
      expect(await refusal(key)).toBe("disabled_api_key");
      const again = await send("PATCH", `/keys/${id}`, { disabled: true });
      expect(await send("PATCH", `/keys/${id}`, { disabled: false })).toMatchObject({ body: { disabled_at: null } });
      expect(await refusal(key)).toBeNull();
      expect(again.body.disabled_at).toBeNumber();
      expect((await trailOf(id)).map(({ action }) => action)).toEqual(["enable", "disable", "create"]);
    });

    test("is rotated with an overlap, or at once", async () => {
      const { id, key } = await newKey({ name: "turning" });
      const first = await send("POST", `/keys/${id}/rotate`, { overlap: "1h" });
      expect(first).toMatchObject({ status: 200, body: { id, name: "turning", status: "active" } });
      expect(Number(first.body.old_secret_expires_at)).toBeGreaterThan(Date.now() / 1000 + 3_500);
      expect(await Promise.all([refusal(key), refusal(String(first.body.key))])).toEqual([null, null]);
      const second = await send("POST", `/keys/${id}/rotate`);
      expect(second.body.old_secret_expires_at).toBeNull();
      expect(await refusal(key)).toBe("invalid_api_key");
      expect(await refusal(String(first.body.key))).toBe("invalid_api_key");
      expect(await refusal(String(second.body.key))).toBeNull();
    });
  });

  test("the list has pages, newest first, without secrets", async () => {
    for (let count = 0; count < 5; count++) {
      // Keys of one millisecond have no order among them.
      for (const begun = Date.now(); Date.now() === begun;);
      await newKey({ name: `page ${count}` });
    }
    const whole = await send("GET", "/keys?limit=1000");
    expect(whole.body).toMatchObject({ object: "list", has_more: false, next: null });
    const ids = whole.body.data?.map(({ id }) => id) ?? [];
    expect(whole.body.data?.[0]).toMatchObject({ name: "page 4" });
    expect(JSON.stringify(whole.body)).not.toMatch(/sk-tg-|[0-9a-f]{64}/);
    const paged: unknown[] = [];
    for (let after = ""; ;) {
      const { body } = await send("GET", `/keys?limit=2${after}`);
      expect(body.data?.length).toBeLessThanOrEqual(2);
      paged.push(...(body.data ?? []).map(({ id }) => id));
      if (body.has_more !== true) break;
      expect(body.next).toBe(paged.at(-1));
      after = `&after=${String(body.next)}`;
    }
    expect(paged).toEqual(ids);
  });

  describe("an admin key", () => {
    test("cannot end its own access, and others can", async () => {
      const own = await newKey({ name: "ops", admin: true });
      const path = `/keys/${own.id}`;
      const soon = Math.floor(Date.now() / 1000) + 60;
      for (const change of [{ disabled: true }, { admin: false }, { expires_at: soon }]) {
        const refused = await send("PATCH", path, change, own.key);
        expect(refused).toMatchObject({ status: 409, body: { error: { type: "conflict_error", code: "own_key" } } });
      }
      expect(await send("POST", `${path}/rotate`, {}, own.key)).toMatchObject({ body: { error: { code: "own_key" } } });
      expect(await send("POST", `${path}/rotate`, { overlap: "59s" }, own.key)).toMatchObject({ status: 409 });
      expect(await send("PATCH", path, { name: "ops 2", admin: true, expires_at: null }, own.key)).toMatchObject({
        status: 200,
        body: { name: "ops 2", admin: true },
      });
      const rotated = await send("POST", `${path}/rotate`, { overlap: "1m" }, own.key);
      expect(await send("GET", path, undefined, own.key)).toMatchObject({ status: 200 });
      expect(await send("GET", path, undefined, String(rotated.body.key))).toMatchObject({ status: 200 });
      expect(await send("PATCH", path, { admin: false })).toMatchObject({ status: 200 });
      expect(await send("GET", path, undefined, own.key)).toMatchObject({ status: 403 });
    });

    test.each([
      ["GET", "/keys"],
      ["POST", "/keys"],
      ["GET", "/keys/0123456789"],
      ["PATCH", "/keys/0123456789"],
      ["POST", "/keys/0123456789/rotate"],
      ["GET", "/changes"],
    ])("is needed for %s %s", async (method, path) => {
      const { gateway } = context();
      const body = method === "GET" ? undefined : { name: "x" };
      expect(await send(method, path, body, gateway.key)).toMatchObject({
        status: 403,
        body: { error: { type: "permission_error", code: "endpoint_not_allowed" } },
      });
      expect(await send(method, path, body, "sk-tg-nobody")).toMatchObject({ status: 401 });
    });
  });

  describe("what is wrong is named", () => {
    test.each<[unknown, string, string]>([
      [{}, "missing_parameter", "name"],
      [{ name: "" }, "invalid_parameter", "name"],
      [{ name: " " }, "invalid_parameter", "name"],
      [{ name: "a\nb" }, "invalid_parameter", "name"],
      [{ name: "x".repeat(101) }, "invalid_parameter", "name"],
      [{ name: 5 }, "invalid_parameter", "name"],
      [{ name: "a", models: "b" }, "invalid_parameter", "models"],
      [{ name: "a", tags: { Team: "b" } }, "invalid_parameter", "tags"],
      [{ name: "a", tags: { team: 5 } }, "invalid_parameter", "tags.team"],
      [{ name: "a", models: ["b", "c*d"] }, "invalid_parameter", "models[1]"],
      [{ name: "a", endpoints: ["chat", "chats"] }, "invalid_parameter", "endpoints[1]"],
      [{ name: "a", limits: 5 }, "invalid_parameter", "limits"],
      [{ name: "a", limits: { requests_per_minute: 0 } }, "invalid_parameter", "limits.requests_per_minute"],
      [{ name: "a", limits: { tokens_per_minute: 1.5 } }, "invalid_parameter", "limits.tokens_per_minute"],
      [{ name: "a", limits: { concurrent_requests: "4" } }, "invalid_parameter", "limits.concurrent_requests"],
      [{ name: "a", limits: { concurrent_requests: 2 ** 53 } }, "invalid_parameter", "limits.concurrent_requests"],
      [{ name: "a", limits: { request_per_minute: 1 } }, "invalid_parameter", "limits.request_per_minute"],
      [{ name: "a", tags: { team: 5 } }, "invalid_parameter", "tags.team"],
      [{ name: "a", tags: { Team: "b" } }, "invalid_parameter", "tags"],
      [{ name: "a", expires_at: 1 }, "invalid_parameter", "expires_at"],
      [{ name: "a", expires_at: "tomorrow" }, "invalid_parameter", "expires_at"],
      [{ name: "a", expires_at: 1e300 }, "invalid_parameter", "expires_at"],
      [{ name: "a", admin: "yes" }, "invalid_parameter", "admin"],
      [{ name: "a", account: "nobody" }, "invalid_parameter", "account"],
      [{ name: "a", disabled: true }, "invalid_parameter", "disabled"],
      [{ name: "a", secret: "s" }, "invalid_parameter", "secret"],
      [{ name: "a", __proto__x: 1 }, "invalid_parameter", "__proto__x"],
    ])("%j", async (body, code, param) => {
      const answer = await send("POST", "/keys", body);
      expect(answer).toMatchObject({ status: 400, body: { error: { code, param } } });
      expect(answer.body.error?.message).toContain(`'${param}'`);
    });

    test.each([
      ["[]", "invalid_json"],
      ["{", "invalid_json"],
      ["", "missing_parameter"],
    ])("the body %j", async (body, code) => {
      expect(await send("POST", "/keys", body)).toMatchObject({ status: 400, body: { error: { code } } });
    });

    test("a time that cannot be read is told what is expected", async () => {
      const { body } = await send("POST", "/keys", { name: "a", expires_at: "tomorrow" });
      const expected = "a time as Unix seconds or RFC 3339, or null for never";
      expect(body.error?.message).toBe(`Invalid value for 'expires_at': expected ${expected}.`);
    });

    test("a name that is nearly right is suggested, and a body of more than 64 KiB refused", async () => {
      const { body } = await send("POST", "/keys", { name: "a", limits: { request_per_minute: 1 } });
      expect(body.error?.message).toBe(
        "Unknown parameter: 'limits.request_per_minute'. Did you mean 'requests_per_minute'?",
      );
      expect(await send("POST", "/keys", { name: "x".repeat(70_000) })).toMatchObject({ status: 413 });
    });

    test.each([
      ["GET", "/keys?limit=0", "limit"],
      ["GET", "/keys?limit=1001", "limit"],
      ["GET", "/keys?limit=ten", "limit"],
      ["GET", "/keys?after=nobody", "after"],
      ["GET", "/keys?page=2", "page"],
      ["GET", "/keys?limit=1&limit=2", "limit"],
      ["GET", "/accounts?after=", "after"],
      ["GET", "/accounts?after=a/b", "after"],
      ["GET", "/accounts/default/entries?after=x", "after"],
      ["GET", "/accounts/default/entries?after=", "after"],
      ["GET", "/changes?kind=keys", "kind"],
      ["GET", "/changes?after=x", "after"],
      ["POST", "/keys/0123456789/rotate", "overlap"],
    ])("%s %s", async (method, path, param) => {
      const answer = await send(method, path, method === "POST" ? { overlap: "1w" } : undefined);
      expect(answer).toMatchObject({ status: 400, body: { error: { code: "invalid_parameter", param } } });
    });

    test("a key that does not exist is a 404 that does not repeat what was given", async () => {
      for (const [method, path] of [
        ["GET", "/keys/sk-tg-mistyped"],
        ["PATCH", "/keys/sk-tg-mistyped"],
        ["POST", "/keys/sk-tg-mistyped/rotate"],
      ] as const) {
        const { status, body } = await send(method, path, method === "GET" ? undefined : {});
        expect({ status, code: body.error?.code }).toEqual({ status: 404, code: "key_not_found" });
        expect(body.error?.message).not.toContain("mistyped");
      }
    });
  });

  describe("the audit trail", () => {
    test("says who changed what, when, with the state before and after, and no secret", async () => {
      const { admin } = context();
      const { id, key } = await newKey({ name: "watched" });
      await send("PATCH", `/keys/${id}`, { name: "seen" });
      await send("PATCH", `/keys/${id}`, { name: "seen" });
      await send("PATCH", `/keys/${id}`, { name: "" });
      await send("POST", `/keys/${id}/rotate`, {});
      const trail = await trailOf(id);
      expect(trail.map(({ action }) => action)).toEqual(["rotate", "change", "create"]);
      const by = { kind: "key", id: admin.id };
      expect(trail[1]).toEqual({
        object: "change",
        sequence: expect.any(Number) as number,
        created_at: expect.any(Number) as number,
        by,
        kind: "key",
        id,
        action: "change",
        before: expect.objectContaining({ id, name: "watched" }) as object,
        after: expect.objectContaining({ id, name: "seen" }) as object,
      });
      expect(Math.abs(Number(trail[0]?.created_at) - Date.now() / 1000)).toBeLessThan(60);
      expect(JSON.stringify(trail)).not.toContain(key.slice(17));
      expect(JSON.stringify(trail)).not.toMatch(/[0-9a-f]{64}/);
    });

    test("has the changes of routes, is paged and filtered by kind", async () => {
      await send("PUT", "/routes/fast", { alias: "sandbox-chat" });
      await send("DELETE", "/routes/fast");
      const { body } = await send("GET", "/changes?kind=route&limit=1");
      expect(body).toMatchObject({ has_more: true, data: [{ id: "fast", action: "remove", after: null }] });
      const next = await send("GET", `/changes?kind=route&limit=1&after=${String(body.next)}`);
      expect(next.body).toMatchObject({ has_more: false, next: null, data: [{ id: "fast", action: "create" }] });
      expect(await send("GET", "/changes?kind=price_list")).toMatchObject({
        body: { data: [{ by: { kind: "gateway" }, action: "configure", before: null }] },
      });
    });
  });
});

import { expect, test } from "bun:test";
import type { TestGateway } from "../gateway.testkit.ts";
import { until } from "../until.testkit.ts";
import { searchAt } from "./search.testkit.ts";
import { secret, withBackends } from "./stored-backends.testkit.ts";

/** Search backends that operators create, change and remove while the gateway runs. */

withBackends(({ context, send, url, fields, create, patch, changesOf, whoAnswers }) => {
  test("a backend that is created answers at once, here and soon in the other gateway", async () => {
    const { gateway, other } = context();
    const created = await create("main", { name: "Tavily EU", search_price: 0.008, timeout_ms: 5_000 });
    expect(created).toEqual({
      object: "search_backend",
      id: "main",
      source: "storage",
      locked: false,
      line: null,
      name: "Tavily EU",
      provider: "tavily",
      base_url: `${url()}/search/tavily@main`,
      search_price: 0.008,
      cost: null,
      max_results: 10,
      timeout_ms: 5_000,
      max_in_flight: null,
      enabled: true,
      priority: 1,
      weight: 1,
      allow_fallback: false,
      cache: true,
      has_api_key: true,
      api_key_hint: "...4711",
      has_headers: false,
      updated_at: expect.any(Number),
      problem: null,
      health: {
        status: "healthy",
        circuit: "closed",
        open_until: null,
        in_flight: 0,
        error_rate: 0,
        latency_ms: null,
        history: null,
      },
      last_error: null,
    });
    expect(await whoAnswers("Tavily EU")).toBe("main");
    const { health } = (await send("GET", "/search-backends/main")).body as {
      health?: { history: { ok: number[]; failed: number[] } };
    };
    expect(health?.history.ok.reduce((sum, count) => sum + count, 0)).toBe(1);
    expect(health?.history.failed).toHaveLength(48);
    expect(gateway.sandbox.requests.at(-1)?.headers.authorization).toBe(`Bearer ${secret}`);
    await until("the other gateway to know it", async () => (await whoAnswers("main", other)) === "main");
    expect((await send("GET", "/search-backends/main")).body).toMatchObject({ id: "main", has_api_key: true });
  });

  test("its price is charged from its first search on, in the other gateway too", async () => {
    const { gateway, other } = context();
    await create("priced", { search_price: "0.0125" });
    const search = async (at: TestGateway) => {
      const headers = { authorization: `Bearer ${gateway.key}` };
      const { body } = await searchAt(at, { backend: "priced" }, headers);
      return (await at.record(body.id, gateway.key)).billing;
    };
    expect(await search(gateway)).toMatchObject({ amount_microusd: 12_500, status: "charged" });
    await until("the other gateway to know it", async () => (await whoAnswers("priced", other)) === "priced");
    expect(await search(other)).toMatchObject({ amount_microusd: 12_500, status: "charged" });
    const before = (await search(gateway)).pricing_version;
    await patch("priced", { search_price: 0.02 });
    const after = await search(gateway);
    expect(after).toMatchObject({ amount_microusd: 20_000 });
    expect(after.pricing_version).toBeGreaterThan(before);
    await patch("priced", { priority: 5 });
    expect((await search(gateway)).pricing_version).toBe(after.pricing_version);
    await patch("priced", { search_price: null });
    expect(await search(gateway)).toMatchObject({ amount_microusd: 0, status: "unpriced" });
  });

  test("a change keeps the key unless it has one, and null removes it", async () => {
    const { gateway } = context();
    const authorization = () => gateway.sandbox.requests.at(-1)?.headers.authorization;
    await create("keyed", { max_results: 3 });
    expect((await patch("keyed", { priority: 2 })).body).toMatchObject({
      priority: 2,
      max_results: 3,
      has_api_key: true,
    });
    expect(await whoAnswers("keyed")).toBe("keyed");
    expect(authorization()).toBe(`Bearer ${secret}`);
    expect((await patch("keyed", { max_results: null })).body).toMatchObject({ priority: 2, max_results: 10 });
    await patch("keyed", { api_key: "tvly-another-key-of-it" });
    expect(await whoAnswers("keyed")).toBe("keyed");
    expect(authorization()).toBe("Bearer tvly-another-key-of-it");
    await patch("keyed", { api_keys: ["tvly-one-of-two-keys", "tvly-two-of-two-keys"] });
    const used = new Set();
    for (let calls = 0; calls < 2; calls++) {
      await whoAnswers("keyed");
      used.add(authorization());
    }
    expect(used).toEqual(new Set(["Bearer tvly-one-of-two-keys", "Bearer tvly-two-of-two-keys"]));
    expect((await patch("keyed", { api_key: null })).body).toMatchObject({ has_api_key: false, api_key_hint: null });
    await whoAnswers("keyed");
    expect(authorization()).toBeUndefined();
    expect((await patch("keyed", { api_key: "short-key" })).body).toMatchObject({
      has_api_key: true,
      api_key_hint: null,
    });
  });

  test("a key is not sent to another origin unless it is given anew", async () => {
    const { gateway } = context();
    await create("moving", { headers: { "x-proxy": "a-secret-in-a-header" } });
    const elsewhere = { base_url: "http://127.0.0.1:9/search" };
    expect(await patch("moving", elsewhere)).toMatchObject({
      status: 400,
      body: { error: { code: "invalid_parameter", param: "api_key", message: expect.stringContaining(url()) } },
    });
    expect(await patch("moving", { ...elsewhere, api_key: secret })).toMatchObject({
      status: 400,
      body: { error: { param: "headers" } },
    });
    // Another vendor's own address is another origin too.
    expect(await patch("moving", { provider: "brave", base_url: null })).toMatchObject({
      status: 400,
      body: { error: { param: "api_key" } },
    });
    expect(await whoAnswers("moving")).toBe("moving");
    expect(gateway.sandbox.requests.at(-1)?.headers.authorization).toBe(`Bearer ${secret}`);
    const moved = await patch("moving", { ...elsewhere, api_key: null, headers: null });
    expect(moved).toMatchObject({ status: 200, body: { has_api_key: false, has_headers: false } });
    expect((await patch("moving", { base_url: `${url()}/search/tavily@moving`, priority: 3 })).status).toBe(200);
  });

  test("headers are sent, kept and removed as keys are", async () => {
    const { gateway } = context();
    const sent = () => gateway.sandbox.requests.at(-1)?.headers["x-proxy"];
    expect(await create("proxied", { headers: { "X-Proxy": "a-secret-in-a-header" } })).toMatchObject({
      has_headers: true,
    });
    await patch("proxied", { weight: 3 });
    await whoAnswers("proxied");
    expect(sent()).toBe("a-secret-in-a-header");
    expect((await patch("proxied", { headers: null })).body).toMatchObject({ has_headers: false });
    await whoAnswers("proxied");
    expect(sent()).toBeUndefined();
  });

  test("a disabled backend is not found by name until it is enabled", async () => {
    await create("switched");
    expect((await patch("switched", { enabled: false })).body).toMatchObject({ enabled: false });
    expect(await whoAnswers("switched")).toBe("backend_not_found");
    await patch("switched", { enabled: true });
    expect(await whoAnswers("switched")).toBe("switched");
    expect((await changesOf("switched")).map(({ action }) => action)).toEqual(["enable", "disable", "create"]);
  });

  test("a removed backend is gone", async () => {
    await create("gone");
    expect(await send("DELETE", "/search-backends/gone")).toMatchObject({
      status: 200,
      body: { id: "gone", object: "search_backend", deleted: true },
    });
    expect(await whoAnswers("gone")).toBe("backend_not_found");
    const missing = { status: 404, body: { error: { code: "backend_not_found" } } };
    expect(await send("GET", "/search-backends/gone")).toMatchObject(missing);
    expect(await send("DELETE", "/search-backends/gone")).toMatchObject(missing);
    expect(await patch("gone", { priority: 1 })).toMatchObject(missing);
    expect(await send("POST", "/search-backends/gone/test", {})).toMatchObject(missing);
  });

  test("the order of all stored backends is set at once, or not at all", async () => {
    for (const id of ["a", "b", "c"]) await create(id);
    const order = (ids: unknown) => send("POST", "/search-backends/order", { ids });
    const priorities = async () => {
      const stored = ((await send("GET", "/search-backends")).body.data ?? []).filter(
        (each) => each.source === "storage",
      );
      return Object.fromEntries(stored.map(({ id, priority }) => [id, priority]));
    };
    expect((await order(["c", "a", "b"])).status).toBe(200);
    expect(await priorities()).toEqual({ a: 2, b: 3, c: 1 });
    const entries = await changesOf("a");
    expect((await order(["c", "a", "b"])).status).toBe(200);
    expect(await changesOf("a")).toEqual(entries);
    expect((await changesOf("a"))[0]).toMatchObject({ action: "order", before: {}, after: { priority: 2 } });
    for (const [ids, status, code] of [
      [["a", "b"], 400, "invalid_parameter"],
      [["a", "b", "c", "a"], 400, "invalid_parameter"],
      [["a", "b", "unknown"], 404, "backend_not_found"],
      [["a", "b", "c", "fixed"], 409, "backend_in_configuration"],
      ["a", 400, "invalid_parameter"],
      [[1], 400, "invalid_parameter"],
      [undefined, 400, "missing_parameter"],
    ] as const) {
      expect(await order(ids)).toMatchObject({ status, body: { error: { code } } });
    }
    expect(await priorities()).toEqual({ a: 2, b: 3, c: 1 });
  });

  test("backends of the configuration are shown and locked", async () => {
    expect((await send("GET", "/search-backends/fixed")).body).toMatchObject({
      source: "config",
      locked: true,
      has_api_key: true,
      updated_at: null,
    });
    const locked = {
      status: 409,
      body: { error: { code: "backend_in_configuration", message: expect.stringContaining("configuration file") } },
    };
    expect(await patch("fixed", { priority: 1 })).toMatchObject(locked);
    expect(await send("DELETE", "/search-backends/fixed")).toMatchObject(locked);
    expect(await send("POST", "/search-backends", fields("fixed"))).toMatchObject(locked);
  });

  test.each([
    ["id", { id: "a b" }],
    ["id", { id: "auto" }],
    ["id", { id: "order" }],
    ["id", { id: 5 }],
    ["id", { id: "Fixed one" }],
    ["name", { name: "fixed" }],
    ["name", { name: "taken" }],
    ["name", { name: "" }],
    ["provider", { provider: "nothing" }],
    ["provider", { provider: null }],
    ["base_url", { base_url: "ftp://example.com" }],
    ["base_url", { base_url: "https://user:word@example.com" }],
    ["base_url", { base_url: "https://example.com/?key=1" }],
    ["base_url", { provider: "searxng", base_url: null, api_key: null }],
    ["api_key", { api_key: "with space" }],
    ["api_key", { api_key: 5 }],
    ["api_keys", { api_keys: ["one"] }],
    ["headers", { headers: ["x"] }],
    ['headers["x y"]', { headers: { "x y": "z" } }],
    ["headers.x", { headers: { x: "line\nbreak" } }],
    ["search_price", { search_price: -1 }],
    ["search_price", { search_price: "free" }],
    ["cost", { cost: "mine" }],
    ["max_results", { max_results: 0 }],
    ["timeout_ms", { timeout_ms: 0 }],
    ["max_in_flight", { max_in_flight: 1.5 }],
    ["enabled", { enabled: "yes" }],
    ["priority", { priority: -1 }],
    ["weight", { weight: 0 }],
    ["allow_fallback", { allow_fallback: 1 }],
    ["bogus", { bogus: true }],
  ])("wrong input is refused, and '%s' is named: %j", async (param, more) => {
    await create("taken");
    const { status, body } = await send("POST", "/search-backends", fields("new", more));
    expect({ status, param: body.error?.param }).toEqual({ status: 400, param });
    expect(JSON.stringify(body)).not.toContain(secret);
    expect((await send("GET", "/search-backends/new")).status).toBe(404);
    if (param === "id") return;
    const before = (await send("GET", "/search-backends/taken")).body;
    // Its own id is no name of another, and without a key in the same change there are not two.
    const isGood = param === "api_keys" || JSON.stringify(more) === '{"name":"taken"}';
    const changed = await patch("taken", more);
    expect({ status: changed.status, param: changed.body.error?.param }).toEqual(
      isGood ? { status: 200, param: undefined } : { status: 400, param },
    );
    if (!isGood) expect((await send("GET", "/search-backends/taken")).body).toEqual(before);
  });

  test("an id that is taken, a body that is none and a key that is none of an operator's are refused", async () => {
    await create("taken");
    expect(await send("POST", "/search-backends", fields("taken"))).toMatchObject({
      status: 409,
      body: { error: { code: "backend_exists", param: "id" } },
    });
    expect((await send("POST", "/search-backends", {})).body.error).toMatchObject({ param: "id" });
    expect((await send("POST", "/search-backends", "[]")).status).toBe(400);
    expect(await patch("taken", { id: "other" })).toMatchObject({ status: 400, body: { error: { param: "id" } } });
    for (const [method, path] of [
      ["GET", ""],
      ["POST", ""],
      ["POST", "/order"],
      ["GET", "/taken"],
      ["PATCH", "/taken"],
      ["DELETE", "/taken"],
      ["POST", "/taken/test"],
    ] as const) {
      const body = method === "GET" || method === "DELETE" ? undefined : {};
      const { status } = await send(method, `/search-backends${path}`, body, context().gateway.key);
      expect({ method, path, status }).toEqual({ method, path, status: 403 });
    }
  });

  test("concurrent changes are all made, or refused, and each leaves one entry", async () => {
    await create("shared");
    const { other, admin } = context();
    const elsewhere = (id: string, changes: object) =>
      other.fetch(`/api/admin/search-backends/${id}`, {
        method: "PATCH",
        headers: { authorization: `Bearer ${admin.key}`, "content-type": "application/json" },
        body: JSON.stringify(changes),
      });
    const statuses = await Promise.all(
      Array.from({ length: 6 }, (_, index) => [
        patch("shared", { priority: index }).then(({ status }) => status),
        elsewhere("shared", { weight: index + 1 }).then(({ status }) => status),
      ]).flat(),
    );
    for (const status of statuses) expect([200, 409]).toContain(status);
    const made = statuses.filter((status) => status === 200).length;
    expect(made).toBeGreaterThan(0);
    const entries = await changesOf("shared");
    expect(entries.filter(({ action }) => action === "change")).toHaveLength(made);
    // Each change is based on the one before it.
    for (const [place, { before }] of entries.slice(0, -1).entries()) {
      expect(before).toEqual(entries[place + 1]?.after);
    }
  });

  test("no search fails while backends are changed, and an unchanged one keeps its health", async () => {
    const { gateway } = context();
    await create("steady");
    await create("moving", { priority: 2 });
    gateway.sandbox.setModel("search/tavily@steady", { fault: { kind: "status", status: 500, message: "no" } });
    await whoAnswers("steady");
    gateway.sandbox.setModel("search/tavily@steady", {});
    const errorRate = async () => {
      const { health, last_error } = (await send("GET", "/search-backends/steady")).body;
      return { health, last_error };
    };
    const before = await errorRate();
    expect(before).toMatchObject({ health: { error_rate: 1 }, last_error: { class: "failed_server" } });
    const changing = new AbortController();
    const failures: unknown[] = [];
    const searching = Array.from({ length: 4 }, async () => {
      while (!changing.signal.aborted) {
        const answered = await whoAnswers("moving");
        if (answered !== "moving") failures.push(answered);
      }
    });
    for (let round = 0; round < 10; round++) {
      await patch("moving", { api_key: `tvly-key-${round}`, timeout_ms: 5_000 + round, priority: round });
    }
    changing.abort();
    await Promise.all(searching);
    expect(failures).toEqual([]);
    expect(await errorRate()).toEqual(before);
    await patch("steady", { priority: 9, search_price: 1 });
    expect(await errorRate()).toEqual(before);
    await patch("steady", { api_key: "tvly-a-new-one-of-it" });
    expect(await errorRate()).toMatchObject({ health: { error_rate: 0 }, last_error: null });
  });

  test("the last error is shown in the words of receipts, without secrets and the query", async () => {
    const { gateway } = context();
    await create("failing");
    const query = "a question that nobody else may read";
    const message = `The key ${secret} has no access for "${query}" at ${url()}`;
    gateway.sandbox.setModel("search/tavily@failing", { fault: { kind: "status", status: 401, message } });
    await searchAt(gateway, { backend: "failing", query });
    const { last_error: error } = (await send("GET", "/search-backends/failing")).body;
    expect(error).toEqual({ class: "failed_credential", at: expect.any(Number), message: expect.any(String) });
    const { at, message: shown } = error as { at: number; message: string };
    expect(Math.abs(at - Date.now() / 1000)).toBeLessThan(60);
    expect(shown).toContain("has no access");
    for (const hidden of [secret, query, "127.0.0.1"]) expect(shown).not.toContain(hidden);
  });
});

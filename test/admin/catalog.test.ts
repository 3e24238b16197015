import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { execute } from "../../src/storage/postgres/test-database.testkit.ts";
import { until } from "../until.testkit.ts";
import { secret, withCatalog } from "./catalog.testkit.ts";

/** Providers and models that operators create, change and remove while the gateway runs. */

withCatalog(({ context, send, url, createProvider, createModel, ask, isSqlite }) => {
  async function byHand(statement: string): Promise<void> {
    const { storageUrl } = context().gateway;
    if (!isSqlite()) return void (await execute(storageUrl, statement));
    const database = new Database(storageUrl.slice("sqlite:".length));
    database.run(statement);
    database.close();
  }

  test("credentials are sealed for their provider: a row copied to another id is never asked", async () => {
    const { gateway } = context();
    await createProvider("original");
    await createModel("of-original", { targets: [{ provider: "original", model: "sandbox-chat" }] });
    await byHand(
      "insert into catalog_entries (kind, id, fields, sealed_api_keys, updated_at) " +
        "select kind, 'copy', fields, sealed_api_keys, updated_at from catalog_entries where id = 'original'",
    );
    const shown = async () => (await send("GET", "/providers/copy")).body;
    await until("the row to be read", async () => (await shown())["problem"] !== undefined);
    expect(await shown()).toMatchObject({
      problem: expect.stringContaining("copied from elsewhere"),
      api_key_hint: null,
    });
    await createModel("of-copy", { targets: [{ provider: "copy", model: "sandbox-chat" }] });
    const calls = gateway.sandbox.requests.length;
    expect(await ask("of-copy")).toBe("no_target_available");
    expect(gateway.sandbox.requests.length).toBe(calls);
    expect((await send("POST", "/providers/copy/test", {})).body).toMatchObject({ ok: false });
    // A new key mends it.
    expect((await send("PATCH", "/providers/copy", { api_key: secret })).body).toMatchObject({ problem: null });
    expect(await ask("of-copy")).toContain("Hello");
    if (isSqlite()) {
      for (const name of readdirSync(gateway.folder).filter((file) => file.startsWith("tollgate.db"))) {
        expect(readFileSync(join(gateway.folder, name), "latin1")).not.toContain(secret);
      }
    }
    expect(JSON.stringify([gateway.log, context().other.log])).not.toContain(secret);
  });

  test("what is stored under a name that the configuration takes is hidden, says so, and can be removed", async () => {
    const fields = JSON.stringify({ targets: [{ provider: "sandbox", model: "sandbox-reasoning" }] });
    await byHand(
      `insert into catalog_entries (kind, id, fields, updated_at) values ('model', 'sandbox-chat', '${fields}', 1)`,
    );
    const stored = async () => (await send("GET", "/models?source=storage")).body.data?.[0];
    await until("the row to be read", async () => (await stored()) !== undefined);
    expect(await stored()).toMatchObject({ problem: expect.stringContaining("configuration file has another") });
    expect((await send("GET", "/models/sandbox-chat")).body).toMatchObject({ source: "config" });
    expect((await send("DELETE", "/models/sandbox-chat")).status).toBe(200);
    expect(await stored()).toBeUndefined();
    expect(await ask("sandbox-chat")).toContain("Hello");
  });

  test("a provider and a model of it serve at once, here and soon in the other gateway", async () => {
    const { gateway, other } = context();
    const provider = await createProvider("vendor", { max_in_flight: 7 });
    expect(provider).toEqual({
      object: "provider",
      id: "vendor",
      source: "storage",
      locked: false,
      line: null,
      dialects: ["openai-chat"],
      base_url: `${url()}/v1`,
      timeouts: { connect_ms: 5_000, first_byte_ms: 120_000, idle_ms: 120_000, total_ms: 900_000 },
      max_in_flight: 7,
      circuit: { failures: 5, open_ms: 30_000, failure_rate: 0.5, least_calls: 20 },
      on_caller_abort: "cancel",
      has_tls: false,
      has_api_key: true,
      api_key_hint: "...4711",
      api_keys_count: 1,
      has_headers: false,
      has_webhook_secret: false,
      updated_at: expect.any(Number),
      problem: null,
      models: [],
      models_count: 0,
      health: {
        status: "healthy",
        circuits: { closed: 0, open: 0, half_open: 0 },
        in_flight: 0,
        last_error: null,
        history: null,
      },
    });
    const model = await createModel("team/new", { context_length: 1_000, parameters: { tools: true } });
    expect(model).toMatchObject({
      object: "model_definition",
      id: "team/new",
      source: "storage",
      locked: false,
      line: null,
      targets: [{ provider: "vendor", model: "sandbox-chat", weight: 1 }],
      context_length: 1_000,
      problem: null,
      health: [{ provider: "vendor", upstream_model: "sandbox-chat", state: "closed", history: null }],
    });
    expect(await ask("team/new")).toContain("Hello");
    expect(gateway.sandbox.requests.at(-1)?.headers.authorization).toBe(`Bearer ${secret}`);
    await until("the other gateway to know it", async () => (await ask("team/new", other))?.includes("Hello") === true);
    const listed = await gateway.fetch("/v1/models");
    expect(await listed.text()).toContain('"team/new"');
    const { body } = await send("GET", "/providers/vendor");
    expect(body).toMatchObject({
      models: ["team/new"],
      models_count: 1,
      health: { history: { failed: expect.any(Array) } },
    });
  });

  test("patterns are stored too, and the longest prefix wins", async () => {
    await createProvider("vendor");
    await createModel("any/*", { targets: [{ provider: "vendor", model: "*" }] });
    expect(await ask("any/sandbox-chat")).toContain("Hello");
    expect(await ask("any/none-of-it")).not.toContain("Hello");
    expect((await send("GET", "/models/any/*")).body).toMatchObject({ id: "any/*", health: [] });
  });

  test("a price is charged from the first request on, and is a version of the price list", async () => {
    const { gateway } = context();
    await createProvider("vendor");
    await createModel("priced", { prices: { request: "0.5" } });
    const charge = async () => {
      const response = await gateway.chat({ model: "priced" });
      await response.text();
      return (await gateway.record(response.headers.get("x-service-request-id"))).billing.amount_microusd;
    };
    expect(await charge()).toBe(500_000);
    expect((await send("PATCH", "/models/priced", { prices: { request: 0.25 } })).body).toMatchObject({
      prices: { request: "0.25" },
    });
    expect(await charge()).toBe(250_000);
  });

  test("a change keeps the key, and another origin needs it anew", async () => {
    const { gateway } = context();
    const authorization = () => gateway.sandbox.requests.at(-1)?.headers.authorization;
    await createProvider("vendor");
    await createModel("m");
    expect((await send("PATCH", "/providers/vendor", { timeouts: { idle_ms: 5_000 } })).status).toBe(200);
    await ask("m");
    expect(authorization()).toBe(`Bearer ${secret}`);
    const moved = { base_url: "http://127.0.0.1:9/v1" };
    const refused = await send("PATCH", "/providers/vendor", moved);
    expect(refused).toMatchObject({ status: 400, body: { error: { code: "invalid_parameter", param: "api_key" } } });
    expect(refused.body.error?.message).toContain(url());
    await ask("m");
    expect(authorization()).toBe(`Bearer ${secret}`);
    const other = { dialect: null, dialects: ["openai-chat", "openai-responses"] };
    expect((await send("PATCH", "/providers/vendor", other)).body).toMatchObject({ dialects: other.dialects });
    expect((await send("PATCH", "/providers/vendor", { dialects: null, dialect: "openai-chat" })).status).toBe(200);
    // Another path of the same origin is no other place.
    expect((await send("PATCH", "/providers/vendor", { base_url: `${url()}/v1/` })).status).toBe(200);
    const without = await send("PATCH", "/providers/vendor", { ...moved, api_key: null });
    expect(without.body).toMatchObject({ has_api_key: false, base_url: moved.base_url });
    expect((await send("PATCH", "/providers/vendor", { base_url: `${url()}/v1` })).status).toBe(200);
    await ask("m");
    expect(authorization()).toBeUndefined();
  });

  test("headers that may be secret need to be sent again for another origin too", async () => {
    await createProvider("vendor", { api_key: null, headers: { "X-Proxy": "a-secret-in-a-header" } });
    const refused = await send("PATCH", "/providers/vendor", { base_url: "https://elsewhere.example/v1" });
    expect(refused).toMatchObject({ status: 400, body: { error: { param: "headers" } } });
  });

  test("a provider that a model uses cannot be removed, nor a model that a route uses", async () => {
    await createProvider("vendor");
    await createModel("m");
    await createModel("n");
    await send("PUT", "/routes/fast", { alias: "m" });
    expect(await send("DELETE", "/providers/vendor")).toMatchObject({
      status: 409,
      body: { error: { code: "provider_in_use", message: expect.stringContaining("the models 'm', 'n'") } },
    });
    expect(await send("DELETE", "/models/m")).toMatchObject({
      status: 409,
      body: { error: { code: "model_in_use", message: expect.stringContaining("the route 'fast'") } },
    });
    expect(await ask("fast")).toContain("Hello");
    for (const path of ["/routes/fast", "/models/m", "/models/n", "/providers/vendor"]) {
      expect(await send("DELETE", path)).toMatchObject({ status: 200, body: { deleted: true } });
    }
    expect(await ask("m")).toBe("model_not_found");
    expect(await send("GET", "/providers/vendor")).toMatchObject({
      status: 404,
      body: { error: { code: "provider_not_found" } },
    });
  });

  test("those of the configuration are shown locked, and cannot be changed, taken or hidden", async () => {
    expect((await send("GET", "/providers/sandbox")).body).toMatchObject({
      source: "config",
      locked: true,
      line: null,
    });
    expect((await send("GET", "/models/sandbox-chat")).body).toMatchObject({ source: "config", locked: true });
    const provider = { status: 409, body: { error: { code: "provider_in_configuration", param: "id" } } };
    const model = { status: 409, body: { error: { code: "model_in_configuration", param: "id" } } };
    expect(await send("PATCH", "/providers/sandbox", { max_in_flight: 1 })).toMatchObject(provider);
    expect(await send("DELETE", "/providers/sandbox")).toMatchObject(provider);
    const fields = { dialect: "openai-chat", base_url: `${url()}/v1` };
    expect(await send("POST", "/providers", { id: "sandbox", ...fields })).toMatchObject(provider);
    const targets = [{ provider: "sandbox", model: "sandbox-chat" }];
    expect(await send("POST", "/models", { id: "sandbox-chat", targets })).toMatchObject(model);
    expect(await send("PATCH", "/models/sandbox-chat", { name: "x" })).toMatchObject(model);
    expect(await send("DELETE", "/models/sandbox-chat")).toMatchObject(model);
    await send("PUT", "/routes/taken", { alias: "sandbox-chat" });
    expect(await send("POST", "/models", { id: "taken", targets })).toMatchObject({
      status: 409,
      body: { error: { code: "model_exists", message: "The route 'taken' exists already." } },
    });
    await createProvider("vendor");
    expect(await send("POST", "/providers", { id: "vendor", ...fields })).toMatchObject({
      status: 409,
      body: { error: { code: "provider_exists" } },
    });
    await createModel("stored");
    expect(await send("PUT", "/routes/stored", { alias: "sandbox-chat" })).toMatchObject({
      status: 400,
      body: { error: { param: "id" } },
    });
  });

  test.each<[string, object, string, string]>([
    ["/providers", { id: "p" }, "dialect", "one of openai-chat"],
    ["/providers", { id: "p", dialect: "nope" }, "dialect", "one of openai-chat"],
    ["/providers", { id: "p q", dialect: "openai-chat", base_url: "https://a.example" }, "id", "a name of letters"],
    ["/providers", { id: "p", dialect: "openai-chat", base_url: "ftp://a.example" }, "base_url", "http://"],
    ["/providers", { id: "p", dialect: "openai-chat", base_url: "https://u:p@a.example" }, "base_url", "without user"],
    ["/providers", { id: "p", dialects: ["openai-chat", "gemini"] }, "base_url", "the address of the provider"],
    [
      "/providers",
      { id: "p", dialect: "openai-chat", base_url: "https://a.example", basurl: "x" },
      "basurl",
      "did you mean",
    ],
    ["/providers", { id: "p", dialect: "fal", tls: { ca: "/etc/passwd" } }, "tls", "configuration file"],
    ["/providers", { id: "p", dialect: "fal", timeouts: { idle_ms: 0 } }, "timeouts.idle_ms", "from 1"],
    ["/providers", { dialect: "fal" }, "id", "required parameter"],
    ["/models", { id: "m" }, "targets", "a list of 1 to 16 targets"],
    ["/models", { id: "m", targets: [{ provider: "sandbx", model: "x" }] }, "targets[0].provider", "did you mean"],
    ["/models", { id: "m", targets: [{ provider: "sandbox", model: "*" }] }, "targets[0].model", "/*"],
    ["/models", { id: "a/test", targets: [{ provider: "sandbox", model: "x" }] }, "id", "another id"],
    [
      "/models",
      { id: "m", targets: [{ provider: "sandbox", model: "x" }], prices: { input: -1 } },
      "prices.input",
      "allowed",
    ],
    [
      "/models",
      { id: "m", targets: [{ provider: "sandbox", model: "x" }], temperature: { min: 3, max: 1 } },
      "temperature",
      "min",
    ],
  ])("%s refuses %j as the configuration does, naming %s", async (path, body, param, words) => {
    const answer = await send("POST", path, body);
    expect(answer).toMatchObject({ status: 400, body: { error: { param } } });
    expect(answer.body.error?.message).toContain(words);
  });

  test("a test asks for the list of models, and tells the provider's own words of a failure without the key", async () => {
    const { gateway } = context();
    await createProvider("vendor");
    const { body } = await send("POST", "/providers/vendor/test", {});
    expect(body).toMatchObject({ ok: true, error: null, models: { names: expect.arrayContaining(["sandbox-chat"]) } });
    gateway.sandbox.setModel("sandbox-chat", { fault: { kind: "status", status: 401, message: `Bad key ${secret}` } });
    const failed = await send("POST", "/providers/vendor/test", { model: "sandbox-chat" });
    expect(failed.body).toMatchObject({ ok: false, models: null, error: { class: "credential", status: 401 } });
    expect(JSON.stringify(failed.body)).not.toContain(secret);
    await createModel("m");
    gateway.sandbox.setModel("sandbox-chat", {});
    expect((await send("POST", "/models/m/test")).body).toMatchObject({
      data: [{ provider: "vendor", upstream_model: "sandbox-chat", ok: true }],
    });
    expect(await send("POST", "/models/none/test")).toMatchObject({ status: 404 });
    await createProvider("dead", { base_url: "http://127.0.0.1:9/v1" });
    expect((await send("POST", "/providers/dead/test", {})).body).toMatchObject({
      ok: false,
      error: { class: "unreachable", status: null },
    });
  });

  test("failures of a target are in its last error and in the strip of the day, without the key", async () => {
    const { gateway } = context();
    await createProvider("vendor", { circuit: { failures: 2, open_ms: 60_000 } });
    await createModel("m");
    expect(await ask("m")).toContain("Hello");
    gateway.sandbox.setModel("sandbox-chat", {
      fault: { kind: "status", status: 500, message: `<img src=x onerror=alert(1)> ${secret}` },
    });
    for (let calls = 0; calls < 2; calls++) await ask("m");
    const { body } = await send("GET", "/models/m");
    const [health] = body["health"] as readonly { history: { ok: number[]; failed: number[] } }[];
    expect(health).toMatchObject({
      state: "open",
      last_error: { class: "server_error", status: 500, message: expect.stringContaining("<img src=x") },
    });
    expect(health?.history.ok.reduce((sum, count) => sum + count, 0)).toBe(1);
    expect(health?.history.failed.reduce((sum, count) => sum + count, 0)).toBe(2);
    expect(JSON.stringify(body)).not.toContain(secret);
    expect((await send("GET", "/providers/vendor")).body).toMatchObject({
      health: { status: "unhealthy", circuits: { open: 1 }, last_error: { status: 500 } },
    });
    // A change of the provider begins anew.
    gateway.sandbox.setModel("sandbox-chat", {});
    await send("PATCH", "/providers/vendor", { api_key: `${secret}-new` });
    expect(await ask("m")).toContain("Hello");
  });

  test("a film of a stored provider is made to its end", async () => {
    const { gateway } = context();
    await createProvider("vendor");
    const targets = [{ provider: "vendor", model: "sandbox-video" }];
    await createModel("film", { targets, endpoints: ["videos"], output_modalities: ["video"] });
    const begun = await gateway.fetch("/v1/videos", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "film", prompt: "bars", seconds: "4" }),
    });
    const { id } = (await begun.json()) as { id: string };
    await until("the film to be made", async () => {
      const job = (await (await gateway.fetch(`/v1/videos/${id}`)).json()) as { status: string };
      expect(job.status).not.toBe("failed");
      return job.status === "completed";
    });
  });

  test("what is under way goes on with the provider that it began with", async () => {
    const { gateway } = context();
    await createProvider("vendor");
    await createModel("m");
    gateway.sandbox.setModel("sandbox-chat", { fault: { kind: "slow_headers", delay_ms: 500 } });
    const answer = ask("m");
    await until("the call to arrive", () => gateway.sandbox.requests.length > 0);
    await send("DELETE", "/models/m");
    await send("DELETE", "/providers/vendor");
    expect(await answer).toContain("Hello");
  });

  test("a route is explained before it is stored, and is not stored by that", async () => {
    await createProvider("vendor");
    await createModel("m");
    const request = { messages: [{ role: "user", content: "Hello" }] };
    const draft = (route: object, id = "draft") => send("POST", "/explain-route", { id, route, request });
    expect(await draft({ targets: ["m", "sandbox-chat"] })).toMatchObject({
      status: 200,
      body: { strategy_name: "priority", chosen: { model: "m", provider: "vendor" }, candidates: [{}, {}] },
    });
    expect((await draft({ alias: "m" })).body).toMatchObject({ chosen: { model: "m" } });
    expect(await draft({ alias: "nowhere" })).toMatchObject({ status: 400, body: { error: { param: "alias" } } });
    expect(await draft({ alias: "m" }, "sandbox-chat")).toMatchObject({
      status: 400,
      body: { error: { param: "id" } },
    });
    expect(await ask("draft")).toBe("model_not_found");
    expect(await send("POST", "/explain-route", {}, context().gateway.key)).toMatchObject({ status: 403 });
  });

  test("changes are in the audit trail without secrets", async () => {
    await createProvider("vendor", { headers: { "x-a": "a-secret-in-a-header" } });
    await send("PATCH", "/providers/vendor", { api_key: `${secret}-2`, max_in_flight: 3 });
    await send("DELETE", "/providers/vendor");
    const { body } = await send("GET", "/changes?kind=provider&id=vendor&limit=3");
    expect(body.data?.map(({ action }) => action)).toEqual(["remove", "change", "create"]);
    expect(body.data?.[1]).toMatchObject({ after: { max_in_flight: 3, has_api_key: true, replaced: ["api_key"] } });
    expect(JSON.stringify(body)).not.toMatch(/very-secret|a-secret-in/);
  });

  test("other keys than those of operators are refused on every path", async () => {
    const { key } = context().gateway;
    for (const [method, path] of [
      ["GET", "/providers"],
      ["POST", "/providers"],
      ["GET", "/providers/sandbox"],
      ["PATCH", "/providers/sandbox"],
      ["DELETE", "/providers/sandbox"],
      ["POST", "/providers/sandbox/test"],
      ["GET", "/models"],
      ["POST", "/models"],
      ["GET", "/models/sandbox-chat"],
      ["PATCH", "/models/sandbox-chat"],
      ["DELETE", "/models/sandbox-chat"],
      ["POST", "/models/sandbox-chat/test"],
    ] as const) {
      const answer = await send(method, path, method === "GET" ? undefined : {}, key);
      expect(answer).toMatchObject({ status: 403, body: { error: { code: "endpoint_not_allowed" } } });
    }
  });

  test("models are listed in pages, sorted by id, and filtered", async () => {
    await createProvider("vendor");
    await createModel("b");
    await createModel("a");
    const first = await send("GET", "/models?source=storage&limit=1");
    expect(first.body).toMatchObject({ data: [{ id: "a" }], has_more: true, next: "a" });
    expect((await send("GET", "/models?source=storage&limit=1&after=a")).body).toMatchObject({
      data: [{ id: "b" }],
      has_more: false,
    });
    expect((await send("GET", "/models?provider=vendor&search=B")).body.data).toHaveLength(1);
    expect(await send("GET", "/models?source=none")).toMatchObject({
      status: 400,
      body: { error: { param: "source" } },
    });
  });
});

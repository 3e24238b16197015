import { expect, test } from "bun:test";
import { secret, withBackends } from "./stored-backends.testkit.ts";

/** `POST /api/admin/search-backends/{id}/test`: one real search, that is nobody's. */

withBackends(({ context, send, create, changesOf }) => {
  const tried = async (id: string, body: unknown = {}) =>
    (await send("POST", `/search-backends/${id}/test`, body)).body;

  test("is one real search, which leaves nothing", async () => {
    const { gateway } = context();
    await create("tested", { search_price: 1, enabled: false });
    const calls = gateway.sandbox.requests.length;
    const usage = async () => (await send("GET", "/usage/requests?limit=5")).body;
    const before = await usage();
    expect(await tried("tested", { query: "coffee" })).toMatchObject({
      id: "tested",
      object: "search_backend.test",
      ok: true,
      latency_ms: expect.any(Number),
      results: expect.any(Number),
    });
    expect((await tried("tested")).error).toBeNull();
    expect(gateway.sandbox.requests.length).toBe(calls + 2);
    expect(new TextDecoder().decode(gateway.sandbox.requests.at(-2)?.body)).toContain('"query":"coffee"');
    expect(gateway.sandbox.requests.at(-1)?.headers.authorization).toBe(`Bearer ${secret}`);
    expect(await usage()).toEqual(before);
    expect(await changesOf("tested")).toHaveLength(1);
    expect(await tried("fixed")).toMatchObject({ ok: true });
  });

  test.each([
    [{ kind: "status", status: 401, message: `wrong key ${secret}` }, "failed_credential", 401],
    [{ kind: "status", status: 432, message: "used up" }, "failed_quota", 432],
    [{ kind: "status", status: 429, message: "slow down" }, "failed_rate_limit", 429],
    [{ kind: "status", status: 400, message: "wrong" }, "unsupported_option", 400],
    [{ kind: "status", status: 500, message: "no" }, "failed_server", 500],
    [{ kind: "malformed_json" }, "failed_invalid_response", 200],
    [{ kind: "stall" }, "failed_timeout", null],
  ] as const)("says by which class it failed: %j", async (fault, error, status) => {
    const { gateway } = context();
    await create("tested", { timeout_ms: 300 });
    gateway.sandbox.setModel("search/tavily@tested", { fault });
    const answer = await tried("tested");
    expect(answer).toMatchObject({ ok: false, results: null, error: { class: error } });
    if (status !== null) expect(answer).toMatchObject({ error: { status } });
    expect(JSON.stringify(answer)).not.toContain(secret);
    // It counts neither against the backend.
    expect((await send("GET", "/search-backends/tested")).body).toMatchObject({
      health: { error_rate: 0 },
      last_error: null,
    });
  });

  test("of an address where nothing listens says so", async () => {
    await create("nowhere", { base_url: "http://127.0.0.1:1" });
    expect(await tried("nowhere")).toMatchObject({
      ok: false,
      error: { class: "failed_unreachable", status: null },
    });
  });

  test("refuses a wrong query", async () => {
    await create("tested");
    for (const query of ["", "   ", 5, "x".repeat(4_001)]) {
      const { status, body } = await send("POST", "/search-backends/tested/test", { query });
      expect({ query, status, param: body.error?.param }).toEqual({ query, status: 400, param: "query" });
    }
    const { body } = await send("POST", "/search-backends/tested/test", { depth: "advanced" });
    expect(body.error?.param).toBe("depth");
  });
});

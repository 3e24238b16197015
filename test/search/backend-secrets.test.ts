import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { execute } from "../../src/storage/postgres/test-database.testkit.ts";
import { until } from "../until.testkit.ts";
import { searchAt } from "./search.testkit.ts";
import { secret, withBackends } from "./stored-backends.testkit.ts";

/** The credentials of stored backends are sealed, and seen by nobody again. */

const headerSecret = "a-secret-in-a-header-0815";

withBackends(({ context, send, url, create, patch, changesOf, whoAnswers, isSqlite }) => {
  async function byHand(statement: string): Promise<void> {
    const { storageUrl } = context().gateway;
    if (!isSqlite()) return void (await execute(storageUrl, statement));
    const database = new Database(storageUrl.slice("sqlite:".length));
    database.run(statement);
    database.close();
  }

  test("a row copied to another id does not open, and is never asked", async () => {
    await create("original");
    await byHand(
      "insert into search_backends (id, fields, sealed_api_keys, updated_at) " +
        "select 'copy', fields, sealed_api_keys, updated_at from search_backends where id = 'original'",
    );
    const { gateway } = context();
    const shown = async () => (await send("GET", "/search-backends/copy")).body;
    await until("the row to be read", async () => (await shown()).problem !== undefined);
    expect(await shown()).toMatchObject({
      problem: expect.stringContaining("copied from elsewhere"),
      has_api_key: true,
      api_key_hint: null,
      health: { status: "unhealthy", circuit: "open" },
    });
    const calls = gateway.sandbox.requests.length;
    const { status, body } = await searchAt(gateway, { backend: "copy" });
    expect(status).toBe(503);
    expect(body.error?.code).toBe("no_target_available");
    expect(gateway.sandbox.requests.length).toBe(calls);
    expect(await send("POST", "/search-backends/copy/test", {})).toMatchObject({
      body: { ok: false, error: { class: "unhealthy", message: expect.stringContaining("copied") } },
    });
    // A new key mends it.
    expect((await patch("copy", { api_key: secret })).body).toMatchObject({ problem: null });
    expect(await whoAnswers("copy")).toBe("copy");
  });

  test("the secret is in no answer, log line, record, audit entry, export or file of the database", async () => {
    const { gateway, other } = context();
    await create("hidden", { headers: { "x-proxy": headerSecret } });
    await patch("hidden", { priority: 3 });
    await patch("hidden", { api_key: `${secret}-2`, base_url: `${url()}/search/tavily@other` });
    gateway.sandbox.setModel("search/tavily@other", {
      fault: { kind: "status", status: 401, message: `${secret}-2 and ${headerSecret}` },
    });
    const { body } = await searchAt(gateway, { backend: "hidden" });
    const texts = [JSON.stringify(body), JSON.stringify([gateway.log, other.log])];
    for (const path of ["/search-backends", "/search-backends/hidden", "/changes", "/health", "/prices/current"]) {
      texts.push(JSON.stringify((await send("GET", path)).body));
    }
    texts.push(JSON.stringify((await send("POST", "/search-backends/hidden/test", {})).body));
    const authorization = `Bearer ${context().admin.key}`;
    texts.push(await (await gateway.fetch("/api/admin/usage/export", { headers: { authorization } })).text());
    if (isSqlite()) {
      for (const name of readdirSync(gateway.folder, { recursive: true, encoding: "utf8" })) {
        if (/\.db|journal/.test(name)) texts.push(bytesOf(join(gateway.folder, name)));
      }
    } else {
      for (const table of ["search_backends", "changes", "requests", "price_tables", "outbox"]) {
        texts.push(JSON.stringify(await execute(gateway.storageUrl, `select * from ${table}`)));
      }
    }
    const encoded = (text: string) => [text, Buffer.from(text).toString("base64").slice(0, 24)];
    for (const text of texts) {
      for (const hidden of [secret, headerSecret].flatMap(encoded)) expect(text.includes(hidden)).toBe(false);
    }
    expect(texts.length).toBeGreaterThan(10);
  });

  test("the audit trail has what was before and after", async () => {
    await create("audited", { search_price: 0.01 });
    await patch("audited", { search_price: 0.02, api_key: "tvly-a-new-key-of-it" });
    await send("DELETE", "/search-backends/audited");
    const base_url = `${url()}/search/tavily@audited`;
    const state = { provider: "tavily", base_url, has_api_key: true, has_headers: false };
    expect(await changesOf("audited")).toMatchObject([
      { action: "remove", before: { ...state, search_price: 0.02 }, after: null },
      {
        action: "change",
        before: { ...state, search_price: 0.01 },
        after: { ...state, search_price: 0.02, replaced: ["api_key"] },
      },
      { action: "create", before: null, after: { ...state, search_price: 0.01 } },
    ]);
  });
});

/** The bytes of a file as text; empty for a folder. */
function bytesOf(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

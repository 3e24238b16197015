import { describe, expect, test } from "bun:test";
import { tester } from "../../changes/actor.testkit.ts";
import { readStoredBackend } from "../../config/backends/backend-reader.ts";
import { GatewayError } from "../../errors.ts";
import { createSealer, noSealer } from "../../secrets/seal.ts";
import { createMemoryBackendStore } from "./backend-store.testkit.ts";
import type { BackendStore } from "./backend-store.ts";
import { type BackendTools, changeBackend, createBackend, orderBackends, removeBackend } from "./change-backends.ts";
import { openCredentials } from "../stored/credentials.ts";
import { resolveBackend } from "./resolve-backend.ts";

const firstKey = "the first key of these tests, long enough";
const secondKey = "the second key of these tests, long enough";
const sealer = createSealer([firstKey]);

function toolsFor(store: BackendStore = createMemoryBackendStore()): BackendTools {
  const configured = [{ id: "fixed", name: "Fixed one" }];
  return { store, clock: { now: () => 5_000 }, read: readStoredBackend, sealer, configured, by: tester };
}

const backend = (id: string, more: object = {}) => ({ id, provider: "tavily", api_key: `tvly-key-of-${id}`, ...more });

async function failure(work: Promise<unknown>) {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof GatewayError)) throw new Error(`It did not fail by a GatewayError: ${String(error)}`);
  const { status, code, param, message } = error;
  return { status, code, param, message };
}

test("fields are kept as they are written, and credentials sealed beside them", async () => {
  const tools = toolsFor();
  const stored = await createBackend(
    tools,
    backend("main", { search_price: "0.0125", weight: null, headers: { A: "b" } }),
  );
  expect(stored).toEqual({
    id: "main",
    fields: { provider: "tavily", search_price: "0.0125" },
    sealed: { apiKeys: expect.stringMatching(/^v1\./), headers: expect.stringMatching(/^v1\./) },
    updatedAt: 5_000,
  });
  const [row] = await tools.store.list();
  if (!row) throw new Error("Nothing is stored.");
  expect(openCredentials({ sealer, place: "search-backend/main" }, row.sealed)).toMatchObject({
    apiKeys: ["tvly-key-of-main"],
    headers: { a: "b" },
  });
});

test("the audit trail says which credentials were replaced, and nothing of them", async () => {
  const store = createMemoryBackendStore();
  const tools = toolsFor(store);
  await createBackend(tools, backend("main"));
  await changeBackend(tools, "main", { api_keys: ["tvly-other"], headers: { a: "secret" }, priority: 2 });
  await changeBackend(tools, "main", { enabled: false });
  await changeBackend(tools, "main", { api_key: null });
  await removeBackend(tools, "main");
  expect(store.trail.map(({ action }) => action)).toEqual(["create", "change", "disable", "change", "remove"]);
  expect(store.trail[1]?.after).toEqual({
    provider: "tavily",
    priority: 2,
    has_api_key: true,
    has_headers: true,
    replaced: ["api_keys", "headers"],
  });
  expect(store.trail[3]?.after).toMatchObject({ has_api_key: false, has_headers: true });
  expect(JSON.stringify(store.trail)).not.toMatch(/tvly|secret|v1\./);
});

test("a change seals what is kept with the key in force", async () => {
  const tools = toolsFor();
  await createBackend(tools, backend("main", { headers: { a: "b" } }));
  const rotated = createSealer([secondKey, firstKey]);
  const { sealed } = await changeBackend({ ...tools, sealer: rotated }, "main", { priority: 2 });
  const opened = { apiKeys: ["tvly-key-of-main"], headers: { a: "b" }, webhookSecret: null };
  expect(openCredentials({ sealer: createSealer([secondKey]), place: "search-backend/main" }, sealed)).toEqual(opened);
});

test("what no known key opens is kept as it is", async () => {
  const tools = toolsFor();
  const { sealed } = await createBackend(tools, backend("main"));
  const changed = await changeBackend({ ...tools, sealer: createSealer([secondKey]) }, "main", { priority: 2 });
  expect(changed.sealed).toEqual(sealed);
  const resolved = await resolveBackend(changed, { ...tools, sealer: createSealer([secondKey]) }, []);
  expect(resolved.problem).toContain("its sealed credential was sealed with another key");
  expect(resolved.backend?.provider.apiKeys).toEqual([]);
});

describe("without a key", () => {
  const tools = { ...toolsFor(), sealer: noSealer("cannot be sealed: set TOLLGATE_SECRET_KEY") };

  test("credentials are refused, and a backend that needs none is created", async () => {
    expect(await failure(createBackend(tools, backend("main")))).toEqual({
      status: 409,
      code: "no_secret_key",
      param: "api_key",
      message: "The credentials of the search backend 'main' cannot be sealed: set TOLLGATE_SECRET_KEY.",
    });
    const own = { id: "own", provider: "searxng", base_url: "http://127.0.0.1:8080" };
    expect(await createBackend(tools, own)).toMatchObject({ sealed: { apiKeys: null, headers: null } });
  });
});

describe("concurrent changes", () => {
  test("are based on each other", async () => {
    const tools = toolsFor();
    await createBackend(tools, backend("main"));
    await Promise.all([changeBackend(tools, "main", { priority: 2 }), changeBackend(tools, "main", { weight: 3 })]);
    expect((await tools.store.list())[0]?.fields).toEqual({ provider: "tavily", priority: 2, weight: 3 });
  });

  test("that never end are a 409", async () => {
    const store = createMemoryBackendStore();
    let version = 0;
    const busy: BackendStore = { ...store, version: async () => version++ - 1_000 };
    expect(await failure(createBackend(toolsFor(busy), backend("main")))).toMatchObject({
      code: "conflicting_change",
      message: "The search backends were changed concurrently. Try again.",
    });
  });

  test("cannot give two backends one name", async () => {
    const tools = toolsFor();
    const made = await Promise.allSettled([
      createBackend(tools, backend("a", { name: "same" })),
      createBackend(tools, backend("b", { name: "same" })),
    ]);
    expect(made.map(({ status }) => status).toSorted((one, other) => one.localeCompare(other))).toEqual([
      "fulfilled",
      "rejected",
    ]);
  });
});

test("no more than 100 are stored", async () => {
  const tools = toolsFor();
  for (let count = 0; count < 100; count++) await createBackend(tools, backend(`b${count}`));
  expect(await failure(createBackend(tools, backend("one-more")))).toMatchObject({ code: "too_many_backends" });
  expect(await changeBackend(tools, "b99", { priority: 5 })).toMatchObject({ id: "b99" });
});

test("an order without backends changes nothing, and one of the configuration has none", async () => {
  const tools = toolsFor();
  expect(await orderBackends(tools, [])).toEqual([]);
  expect(await failure(orderBackends(tools, ["fixed"]))).toMatchObject({ code: "backend_in_configuration" });
});

import { expect, test } from "bun:test";
import { catalogReader } from "../../config/catalog/catalog-reader.ts";
import { defaultConfig } from "../../config/defaults.ts";
import { createSealer } from "../../secrets/seal.ts";
import type { StoredEntry } from "./catalog-store.ts";
import { resolveCatalog } from "./resolve-catalog.ts";

const sealer = createSealer(["the key of these tests, which is long enough"]);
const options = { reader: catalogReader(null), sealer, configured: defaultConfig() };
const nothingSealed = { apiKeys: null, headers: null };

const provider = (id: string, fields: object = {}): StoredEntry => ({
  kind: "provider",
  id,
  fields: { dialect: "openai-chat", base_url: "https://a.example/v1", ...fields },
  sealed: nothingSealed,
  updatedAt: 1,
});
const model = (id: string, of: string): StoredEntry => ({
  kind: "model",
  id,
  fields: { targets: [{ provider: of, model: "m" }] },
  sealed: nothingSealed,
  updatedAt: 1,
});

test("what has not changed is the same object, so that its health and connections are kept", async () => {
  const rows = [provider("a"), provider("b"), model("m", "a"), model("n", "b")];
  const before = await resolveCatalog(rows, options);
  expect([...before.providers, ...before.models].every(({ problem }) => problem === null)).toBe(true);
  const changed = rows.map((row) => (row.id === "b" ? provider("b", { max_in_flight: 2 }) : structuredClone(row)));
  const after = await resolveCatalog(changed, options, before);
  expect(after.providers[0]).toBe(before.providers[0]);
  expect(after.providers[1]?.provider).toMatchObject({ maxInFlight: 2 });
  expect(after.models[0]).toBe(before.models[0]);
});

test("a model whose provider is invalid, or gone, is not in force and says why", async () => {
  const rows = [provider("a", { base_url: "ftp://a.example" }), model("m", "a"), model("n", "b")];
  const { providers, models } = await resolveCatalog(rows, options);
  expect(providers[0]).toMatchObject({ provider: null, problem: expect.stringContaining("base_url: found") });
  expect(models.map(({ model: made }) => made)).toEqual([null, null]);
  expect(models[0]?.problem).toStartWith("its provider 'a' is not in force: base_url: found");
  expect(models[1]?.problem).toContain('unknown provider "b"');
  // As soon as it is mended they are in force, though their own rows are as they were.
  const before = await resolveCatalog([provider("a"), model("m", "a")], options);
  const gone = await resolveCatalog([model("m", "a")], options, before);
  expect(gone.models[0]?.model).toBeNull();
  const back = await resolveCatalog([provider("a"), model("m", "a")], options, gone);
  expect(back.models[0]).toMatchObject({ problem: null, model: { id: "m" } });
});

test("the configuration's names win over stored ones", async () => {
  const configured = {
    ...defaultConfig(),
    routes: [{ kind: "alias", id: "fast", leadsTo: "sandbox-chat" } as const],
  };
  const rows = [
    provider("sandbox"),
    model("fast", "sandbox"),
    model("sandbox-chat", "sandbox"),
    model("own", "sandbox"),
  ];
  const { providers, models } = await resolveCatalog(rows, { ...options, configured });
  expect(providers[0]?.problem).toContain("configuration file has another provider");
  expect(models.map(({ problem }) => problem)).toEqual([
    expect.stringContaining("another model or route"),
    expect.stringContaining("another model or route"),
    null,
  ]);
});

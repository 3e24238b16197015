import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "./load.ts";
import { ConfigError } from "./problem.ts";

let directory = "";

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "tollgate-config-"));
});

afterAll(async () => {
  await rm(directory, { recursive: true });
});

async function problemsOf(options: Parameters<typeof loadConfig>[0]) {
  const error = await loadConfig(options).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ConfigError);
  return (error as ConfigError).problems;
}

describe("loadConfig", () => {
  test("without a file the configuration is the sandbox", async () => {
    const config = await loadConfig({ environment: {}, directory });
    expect(config.source).toBeNull();
    expect(config.usesSandbox).toBe(true);
    expect(config.server).toMatchObject({ host: "127.0.0.1", port: 8787 });
    expect(config.models.map((model) => model.id)).toEqual([
      "sandbox-chat",
      "sandbox-reasoning",
      "sandbox-no-tools",
      "sandbox-speech",
      "sandbox-transcription",
      "sandbox-image",
      "sandbox-video",
    ]);
    expect(config.models[0]?.prices).toEqual({ input: 250_000, cache_read: 25_000, output: 2_000_000 });
    expect(config.storage).toEqual({ url: "sqlite:./data/tollgate.db", journalDir: "data/journal" });
  });

  test("the keys that seal credentials come from the environment, else from a file beside the storage", async () => {
    const plain = await loadConfig({ environment: { TOLLGATE_SECRET_KEY: "" }, directory });
    expect(plain.secretKeys).toEqual({ key: null, previousKey: null, file: "data/secret.key" });
    const [key, previousKey] = ["k".repeat(32), "p".repeat(44)];
    await Bun.write(join(directory, "keys", "tollgate.yaml"), "storage: { url: sqlite:/var/lib/tollgate/t.db }");
    const set = await loadConfig({
      environment: { TOLLGATE_SECRET_KEY: ` ${key}\n`, TOLLGATE_SECRET_KEY_PREVIOUS: previousKey },
      directory: join(directory, "keys"),
    });
    expect(set.secretKeys).toEqual({ key, previousKey, file: "/var/lib/tollgate/secret.key" });
    const named = await loadConfig({ environment: { TOLLGATE_SECRET_KEY_FILE: "/run/secrets/key" }, directory });
    expect(named.secretKeys.file).toBe("/run/secrets/key");
  });

  test("a key that is too short is a problem that does not show it", async () => {
    const environment = { TOLLGATE_SECRET_KEY: "too-short", TOLLGATE_SECRET_KEY_PREVIOUS: "x".repeat(5_000) };
    const problems = await problemsOf({ environment, directory });
    expect(problems.map(({ source }) => source)).toEqual(["TOLLGATE_SECRET_KEY", "TOLLGATE_SECRET_KEY_PREVIOUS"]);
    expect(JSON.stringify(problems)).not.toContain("too-short");
  });

  test("the given path takes precedence over TOLLGATE_CONFIG, and that over tollgate.yaml", async () => {
    const inside = join(directory, "order");
    await Bun.write(join(inside, "tollgate.yaml"), "server: { port: 1 }");
    const [named, given] = [join(inside, "named.yaml"), join(inside, "given.yaml")];
    await writeFile(named, "server: { port: 2 }");
    await writeFile(given, "server: { port: 3 }");
    const portWith = async (options: { path?: string; environment: Record<string, string> }) =>
      (await loadConfig({ ...options, directory: inside })).server.port;
    expect(await portWith({ environment: {} })).toBe(1);
    expect(await portWith({ environment: { TOLLGATE_CONFIG: "" } })).toBe(1);
    expect(await portWith({ environment: { TOLLGATE_CONFIG: named } })).toBe(2);
    expect(await portWith({ path: given, environment: { TOLLGATE_CONFIG: named } })).toBe(3);
  });

  test("TOLLGATE_STORAGE_URL overrides storage.url, with and without a file", async () => {
    const path = join(directory, "storage.yaml");
    await writeFile(path, "storage: { url: sqlite:./other.db }");
    const environment = { TOLLGATE_STORAGE_URL: "postgres://u:p@host/db" };
    expect((await loadConfig({ path, environment })).storage.url).toBe("postgres://u:p@host/db");
    expect((await loadConfig({ directory: join(directory, "none"), environment })).storage.url).toContain("host/db");
    expect((await loadConfig({ path, environment: {} })).storage).toEqual({
      url: "sqlite:./other.db",
      journalDir: "journal",
    });
  });

  test("an invalid TOLLGATE_STORAGE_URL is reported with the problems of the file, and not shown", async () => {
    const path = join(directory, "wrong.yaml");
    await writeFile(path, "server: { port: 99999 }");
    const problems = await problemsOf({ path, environment: { TOLLGATE_STORAGE_URL: "mysql://u:hunter2@host/db" } });
    expect(problems.map(({ source, path }) => [source, path])).toEqual([
      ["TOLLGATE_STORAGE_URL", ""],
      [path, "server.port"],
    ]);
    expect(JSON.stringify(problems)).not.toContain("hunter2");
  });

  test.each([
    ["a file that is not there", "missing.yaml", null, "no such file"],
    ["a directory", ".", null, "a directory"],
    ["a file that is too large", "large.yaml", Buffer.alloc(1024 * 1024 + 1, "#"), "too large"],
    ["bytes that are not UTF-8", "latin.yaml", Buffer.from([0x61, 0x3a, 0x20, 0xff]), "not UTF-8"],
  ])("%s is a problem", async (_title, name, content, found) => {
    const path = join(directory, name);
    if (content !== null) await writeFile(path, content);
    const [problem] = await problemsOf({ path, environment: {} });
    expect(problem?.source).toBe(path);
    expect(problem?.found).toContain(found);
  });

  test("webhooks are read, and their secrets are never shown", async () => {
    const path = join(directory, "webhooks.yaml");
    const write = (webhook: string) => writeFile(path, `webhooks: [${webhook}]`);
    const long = "x".repeat(24);
    await write(`{ url: 'https://hooks.example/in?a=b', secret: ${long}, account: team-a }`);
    expect((await loadConfig({ path, environment: {} })).webhooks).toEqual([
      {
        accountId: "team-a",
        url: "https://hooks.example/in?a=b",
        secret: long,
        events: null,
        allowPrivate: false,
      },
    ]);
    const url = "https://hooks.example";
    for (const [webhook, name] of [
      [`{ url: '${url}', secret: 'whsec_c2hvcnQ=' }`, "secret"],
      [`{ url: '${url}', secret: 'too-short-secret' }`, "secret"],
      [`{ url: '${url}' }`, "secret"],
      [`{ url: 'ftp://hooks.example', secret: '${long}' }`, "url"],
      [`{ url: 'https://user:pass@hooks.example', secret: '${long}' }`, "url"],
      [`{ url: '${url}', secret: '${long}', events: ['Usage!'] }`, "events"],
    ]) {
      await write(String(webhook));
      const [problem] = await problemsOf({ path, environment: {} });
      expect(JSON.stringify(problem)).toContain(String(name));
      expect(JSON.stringify(problem)).not.toMatch(/too-short-secret|c2hvcnQ|user:pass/);
    }
  });

  test("a provider's webhooks are read, and their secrets are never shown", async () => {
    const path = join(directory, "provider-webhooks.yaml");
    const key = "A".repeat(43);
    const secret = `whsec_${"B".repeat(32)}`;
    const write = (dialect: string, given: string, address = "") =>
      writeFile(
        path,
        `server: {${address}}\nproviders: [{ id: one, dialect: ${dialect}, webhook_secret: '${given}' }]`,
      );
    const webhookOf = async () => (await loadConfig({ path, environment: {} })).providers[0]?.webhook;
    await write("fal", `${key} ${key}`);
    expect(await webhookOf()).toEqual({ secret: `${key} ${key}`, url: null });
    await write("replicate", secret, "public_url: 'https://gateway.example/ai/'");
    expect(await webhookOf()).toEqual({ secret, url: "https://gateway.example/ai/v1/webhooks/one" });
    for (const [dialect, given] of [
      ["fal", secret],
      ["replicate", key],
      ["openai-chat", secret],
    ] as const) {
      await write(dialect, given);
      const problems = JSON.stringify(await problemsOf({ path, environment: {} }));
      expect(problems).toContain("providers[0].webhook_secret");
      expect(problems).not.toMatch(/AAAA|BBBB/);
    }
    await write("fal", key, "public_url: gateway.example");
    expect(JSON.stringify(await problemsOf({ path, environment: {} }))).toContain("server.public_url");
  });

  test("tollgate.example.yaml is valid", async () => {
    const path = join(import.meta.dir, "../../tollgate.example.yaml");
    const config = await loadConfig({ path, environment: { OPENAI_API_KEY: "sk-test" } });
    expect(config.usesSandbox).toBe(false);
    expect(config.providers.map((provider) => [provider.id, provider.apiKeys])).toEqual([
      ["openai", ["sk-test"]],
      ["local", []],
    ]);
    expect(config.models[0]?.prices).toEqual({ input: 250_000, cache_read: 25_000, output: 2_000_000 });
    const defaults = await loadConfig({ environment: {}, directory: join(directory, "none") });
    expect(config.server).toEqual(defaults.server);
    expect(config.log).toEqual(defaults.log);
    expect(config.cors.origins).toEqual([...defaults.cors.origins]);
  });
});

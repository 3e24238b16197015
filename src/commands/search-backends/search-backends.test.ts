import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startSandbox, type Sandbox } from "../../sandbox/server.ts";
import { type CommandDirectory, createCommandDirectory } from "../command.testkit.ts";

let program: CommandDirectory;

beforeEach(async () => {
  program = await createCommandDirectory();
});
afterEach(() => program.remove());

const key = "tvly-very-secret-key-4711";
const run = (words: string, input = "") => program.run(["search-backends", ...words.split(" ")], {}, input);
const add = (more = "") => run(`add main --provider tavily --api-key - ${more}`.trim(), `${key}\n`);

async function listed(): Promise<readonly Record<string, unknown>[]> {
  const { stdout } = await run("list --json");
  return (JSON.parse(stdout) as { data: Record<string, unknown>[] }).data;
}

test("a backend is added with its key from standard input, and shown without it", async () => {
  expect(await add("--search-price 0.008 --priority 2 --name Tavily")).toEqual({
    exitCode: 0,
    stdout: "The search backend main is created. Running gateways apply this within a second.\n",
    stderr: "",
  });
  expect((await listed()).find(({ id }) => id === "main")).toMatchObject({
    source: "storage",
    name: "Tavily",
    search_price: 0.008,
    priority: 2,
    has_api_key: true,
    api_key_hint: "...4711",
    problem: null,
  });
  const { stdout } = await run("list");
  expect(stdout).toMatch(/^main +Tavily +tavily +yes +2 +0\.008 +\.\.\.4711 +storage$/m);
  expect(stdout).toMatch(/^sandbox-search .* config$/m);
  const data = join(program.directory, "data");
  expect(statSync(join(data, "secret.key")).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(data, "tollgate.db"), "latin1")).not.toContain(key);
});

test("it is changed, disabled, enabled and removed, and each change is in the audit trail", async () => {
  await add();
  const changed = await run("change main --search-price 0.02 --allow-fallback --json");
  expect(JSON.parse(changed.stdout)).toMatchObject({ search_price: 0.02, allow_fallback: true, has_api_key: true });
  expect(JSON.parse((await run("disable main --json")).stdout)).toMatchObject({ enabled: false });
  expect((await run("enable main")).stdout).toStartWith("The search backend main is enabled.");
  expect(JSON.parse((await run("change main --no-api-key --json")).stdout)).toMatchObject({ has_api_key: false });
  const prices = await program.run(["prices", "show", "search:main"]);
  expect(prices.stdout).toMatch(/^search:main +web_search +0\.02 /m);
  const removed = await run("remove main --json");
  expect(JSON.parse(removed.stdout)).toEqual({ id: "main", object: "search_backend", deleted: true });
  const { stdout } = await program.run(["changes", "--kind", "search_backend", "--json"]);
  const changes = (JSON.parse(stdout) as { data: { action: string }[] }).data;
  expect(changes.map(({ action }) => action)).toEqual(["remove", "change", "enable", "disable", "change", "create"]);
  expect(stdout).not.toContain(key);
});

test("the fields are read from a file, too", async () => {
  const file = join(program.directory, "backend.json");
  await writeFile(
    file,
    JSON.stringify({ provider: "exa", api_keys: [key, `${key}-2`], headers: { "x-team": "search" } }),
  );
  const { stdout } = await run(`add exa --file ${file} --weight 3 --json`);
  expect(JSON.parse(stdout)).toMatchObject({ provider: "exa", weight: 3, has_api_key: true, has_headers: true });
  expect(stdout).not.toContain("x-team");
});

describe("wrong use", () => {
  test.each([
    ["add main --provider nothing", 2, "'provider': found"],
    ["add main", 2, "'provider': found nothing"],
    ["add main --provider searxng", 2, "'base_url': found nothing"],
    ["add auto --provider tavily", 2, "'id'"],
    ["add main --provider tavily --max-results many", 2, "'max_results': found \"many\""],
    ["add sandbox-search --provider tavily", 1, "defined in the configuration file"],
    ["change unknown --priority 1", 1, "does not exist"],
    ["change sandbox-search --priority 1", 1, "defined in the configuration file"],
    ["change sandbox-search", 2, "nothing to change"],
    ["remove unknown", 1, "does not exist"],
    ["enable unknown", 1, "does not exist"],
    ["test unknown", 1, "there is no search backend 'unknown'"],
    ["test sandbox-search", 1, "runs within the gateway"],
  ])("%s", async (words, exitCode, message) => {
    const { stderr, ...ended } = await run(words);
    expect(ended).toEqual({ exitCode, stdout: "" });
    expect(stderr).toContain(message);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });

  test("an id is added once, and a key that cannot be opened is told of", async () => {
    await add();
    expect(await add()).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("exists already") });
    const other = { TOLLGATE_SECRET_KEY: "another key than the one in the file" };
    await writeFile(join(program.directory, "data", "secret.key"), "a third key that replaces that of the file");
    const { stderr, exitCode } = await program.run(["search-backends", "list"], other);
    expect(exitCode).toBe(0);
    expect(stderr).toContain(
      "the search backend main cannot be used: its sealed credential was sealed with another key",
    );
  });
});

describe("a test", () => {
  let sandbox: Sandbox;
  beforeEach(async () => {
    sandbox = await startSandbox();
  });
  afterEach(() => sandbox.stop());

  test("is one real search, also of a disabled backend", async () => {
    await add(`--base-url ${sandbox.url}/search/tavily`);
    await run("disable main");
    expect(await run("test main --query coffee")).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^ok: \d+ results? in \d+ ms\n$/),
    });
    expect(sandbox.requests).toHaveLength(1);
    expect(sandbox.requests[0]?.headers.authorization).toBe(`Bearer ${key}`);
  });

  test("that fails says why, without the key", async () => {
    await add(`--base-url ${sandbox.url}/search/tavily@wrong`);
    sandbox.setModel("search/tavily@wrong", {
      fault: { kind: "status", status: 401, message: `Unauthorized: ${key}` },
    });
    const { exitCode, stderr } = await run("test main");
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/the search failed after \d+ ms: failed_credential, HTTP 401, Unauthorized: \[redacted\]/);
    const { stdout } = await run("test main --json");
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, error: { class: "failed_credential", status: 401 } });
  });
});

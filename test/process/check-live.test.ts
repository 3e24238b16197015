import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createCommandDirectory, type CommandDirectory } from "../../src/commands/command.testkit.ts";
import { startSandbox, type Sandbox } from "../../src/sandbox/server.ts";

/** `tollgate check --live`: what is wrong with a set-up, in the provider's own words, and what to change. */

const secret = "vendor-secret-0123456789";
let program: CommandDirectory;
let sandbox: Sandbox;
let plain: ReturnType<typeof Bun.serve>;
beforeAll(async () => {
  program = await createCommandDirectory();
  sandbox = await startSandbox({
    models: {
      broken: { fault: { kind: "status", status: 501, body: { error: { message: "Start it with --embeddings" } } } },
    },
  });
  plain = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => {
      const { pathname } = new URL(request.url);
      if (pathname.startsWith("/locked/")) {
        return Response.json({ error: { message: `Incorrect API key provided: ${secret}` } }, { status: 401 });
      }
      if (pathname.startsWith("/open/")) return Response.json({ error: "No API key provided" }, { status: 401 });
      if (pathname.startsWith("/full/")) return Response.json({ data: [{ id: "llama3.2:latest" }] });
      return new Response("404 page not found", { status: 404 });
    },
  });
});
afterAll(async () => {
  await plain.stop(true);
  await sandbox.stop();
  await program.remove();
});

async function check(providers: object[], models: object[], ...words: string[]) {
  const path = join(program.directory, "tollgate.yaml");
  await writeFile(path, JSON.stringify({ providers, models }));
  return program.run(["check", "--live", ...words]);
}

const model = (id: string, name = id, provider = "p", more: object = {}) => ({
  id,
  targets: [{ provider, model: name }],
  ...more,
});

test("says that all is well, and asks for nothing else", async () => {
  const asked = sandbox.requests.length;
  const provider = { id: "p", dialect: "openai-chat", base_url: `${sandbox.url}/v1`, api_key: secret };
  const { exitCode, stdout, stderr } = await check([provider], [model("a", "sandbox-chat"), model("any/*", "*")]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout).toMatch(/^ok\n[^]*\np\n {2}ok lists \d+ models\n$/);
  expect(sandbox.requests.slice(asked).map(({ method, path }) => `${method} ${path}`)).toEqual(["GET /v1/models"]);
  expect(stdout).not.toContain(secret);
});

test.each([
  ["openai-chat", "/v1"],
  ["openai-responses", "/v1"],
  ["anthropic-messages", ""],
  ["gemini", ""],
])("tries each model once with --spend (%s)", async (dialect, path) => {
  const provider = { id: "p", dialect, base_url: sandbox.url + path };
  const { exitCode, stdout } = await check(
    [provider],
    [model("a", "sandbox-chat"), model("b", "sandbox-chat")],
    "--spend",
  );
  expect(stdout).toMatch(/\np\n {2}ok lists \d+ models\n {2}ok 'sandbox-chat' answers\n$/);
  expect(exitCode).toBe(0);
});

test("tries embedding models by embedding", async () => {
  const provider = { id: "p", dialect: "openai-chat", base_url: `${sandbox.url}/v1` };
  const { stdout } = await check(
    [provider],
    [model("e", "sandbox-embed", "p", { endpoints: ["embeddings"] })],
    "--spend",
  );
  expect(stdout).toContain("ok 'sandbox-embed' answers");
});

test("says what is wrong and what to change", async () => {
  const origin = plain.url.origin;
  const providers = [
    { id: "slip", dialect: "openai-chat", base_url: sandbox.url },
    { id: "whole", dialect: "anthropic-messages", base_url: `${sandbox.url}/v1/messages` },
    { id: "locked", dialect: "openai-chat", base_url: `${origin}/locked`, api_key: secret },
    { id: "keyless", dialect: "openai-chat", base_url: `${origin}/open` },
    { id: "away", dialect: "openai-chat", base_url: "http://127.0.0.1:1/v1" },
    { id: "silent", dialect: "openai-chat", base_url: `${origin}/none` },
    { id: "ollama", dialect: "openai-chat", base_url: `${origin}/full` },
    { id: "named", dialect: "openai-chat", base_url: `${sandbox.url}/v1` },
  ];
  const models = [model("m", "sandbox-caht", "named"), model("l", "llama3.2", "ollama")];
  const { exitCode, stdout, stderr } = await check(providers, models);
  const found = Object.fromEntries(
    stdout
      .split("\n\n")
      .slice(1)
      .map((part) => part.trim().split(/\n {2}/))
      .map(([id = "", ...lines]) => [id, lines]),
  );
  expect(found).toEqual({
    slip: [`X  does not answer at ${sandbox.url}, but at ${sandbox.url}/v1. Set base_url: ${sandbox.url}/v1`],
    whole: [`X  does not answer at ${sandbox.url}/v1/messages, but at ${sandbox.url}. Set base_url: ${sandbox.url}`],
    locked: [
      "X  rejects the key: HTTP 401: Incorrect API key provided: [redacted]. Check api_key, and that it belongs to this vendor.",
    ],
    keyless: [expect.stringMatching(/^X {2}requires a key: HTTP 401: No API key provided. Set api_key\.$/)],
    away: [
      expect.stringMatching(
        /^X {2}cannot be reached at http:\/\/127\.0\.0\.1:1\/v1: .* Check that the server is running/,
      ),
    ],
    silent: [
      "!  does not list its models: HTTP 404: 404 page not found. If base_url is right, try a request: tollgate check --live --spend",
    ],
    ollama: ["ok lists 1 model"],
    named: [
      expect.stringMatching(/^ok lists/),
      "X  has no 'sandbox-caht' in its list. See targets[].model of 'm'. It has 'sandbox-chat', 'sandbox-slow', 'sandbox-image'. --spend shows whether it is served nevertheless.",
    ],
  });
  expect(exitCode).toBe(1);
  expect(stderr).toContain("6 of 8 providers cannot serve as configured");
  expect(stdout + stderr).not.toContain(secret);
});

test("with --spend, the provider's own words for a model that fails", async () => {
  const provider = { id: "p", dialect: "openai-chat", base_url: `${sandbox.url}/v1` };
  const models = [model("e", "broken", "p", { endpoints: ["embeddings"] }), model("n", "nowhere")];
  const { exitCode, stdout } = await check([provider], models, "--spend");
  expect(stdout).toContain("X  'broken' fails: HTTP 501: Start it with --embeddings. See targets[].model of 'e'.");
  expect(stdout).toContain("X  'nowhere' fails: HTTP 404: The model 'nowhere' does not exist");
  expect(exitCode).toBe(1);
});

test("says which of several keys is rejected", async () => {
  const seen: (string | null)[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      seen.push(request.headers.get("authorization"));
      return seen.at(-1) === "Bearer good" ? Response.json({ data: [] }) : new Response("no", { status: 401 });
    },
  });
  const provider = { id: "p", dialect: "openai-chat", base_url: `${server.url.origin}/v1`, api_keys: ["good", "bad"] };
  const { exitCode, stdout } = await check([provider], []);
  await server.stop(true);
  expect(seen).toEqual(["Bearer good", "Bearer bad"]);
  expect(stdout).toContain("X  rejects the key: HTTP 401: no. Check api_keys[1], and that it belongs to this vendor.");
  expect(exitCode).toBe(1);
});

test("--spend without --live is a usage error", async () => {
  const { exitCode, stderr } = await program.run(["check", "--spend"]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining("--live") as string });
});

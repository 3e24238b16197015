import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Command } from "commander";
import { createProgram } from "./program.ts";
import { version } from "../version.ts";
import { createCommandDirectory, type CommandDirectory } from "./command.testkit.ts";

let program: CommandDirectory;

beforeAll(async () => {
  program = await createCommandDirectory();
});

afterAll(() => program.remove());

describe("the command line", () => {
  test("--help explains commands and exit codes, with exit code 0", async () => {
    const { exitCode, stdout } = await program.run(["--help"]);
    expect(exitCode).toBe(0);
    for (const word of [
      "start",
      "check",
      "keys",
      "prices",
      "routes",
      "changes",
      "sandbox",
      "Exit codes",
      "TOLLGATE_CONFIG",
    ]) {
      expect(stdout).toContain(word);
    }
  });

  test("--version prints the version of the package", async () => {
    expect(await program.run(["--version"])).toMatchObject({ exitCode: 0, stdout: `${version}\n` });
  });

  test.each([
    [[], "Usage"],
    [["strat"], "Did you mean start?"],
    [["check", "--confg", "x"], "unknown option"],
    [["keys", "create"], "--name"],
    [
      ["keys", "create", "--name", "a", "--endpoints", "chat,chats"],
      "Unknown: chats. Allowed: chat, completions, embeddings, audio_speech, audio_transcriptions, audio_translations, images_generations, images_edits, videos, responses, messages",
    ],
    [["keys", "create", "--name", "a", "--models", "a*b"], "prefix/*"],
    [["keys", "create", "--name", "a", "--models", "a,,b"], "without empty names"],
    [["keys", "create", "--name", "a", "--rpm", "0"], "at least 1"],
    [["keys", "create", "--name", "a", "--tpm", "1.5"], "at least 1"],
    [["keys", "create", "--name", "a", "--concurrency", "-1"], "at least 1"],
    [["keys", "create", "--name", "a", "--expires", "30"], "30d"],
    [["keys", "create", "--name", "a\nb"], "control character"],
    [["keys", "rotate"], "missing required argument 'id'"],
    [["keys", "rotate", "x", "--overlap", "1w"], "1"],
    [["sandbox", "--port", "70000"], "65535"],
    [["routes", "set", "a"], "--alias"],
    [["routes", "set", "a", "--alias", "b", "--file", "c"], "cannot be used with"],
  ])("%j is a usage error", async (words, text) => {
    const { exitCode, stdout, stderr } = await program.run(words);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toContain(text);
    expect(stderr).not.toContain("    at ");
  });
});

/** The commands without commands of their own, by their whole names. */
function commandsOf(command: Command, name = ""): (readonly [name: string, command: Command])[] {
  if (command.commands.length === 0) return [[name, command]];
  return command.commands.flatMap((each) => commandsOf(each, `${name} ${each.name()}`.trim()));
}

test("every command but the servers has --json", () => {
  const commands = commandsOf(createProgram());
  expect(commands.length).toBeGreaterThan(20);
  const without = commands.filter(([, { options }]) => !options.some(({ long }) => long === "--json"));
  expect(without.map(([name]) => name)).toEqual(["start", "sandbox"]);
});

describe("tollgate check", () => {
  test("--json prints the summary without secrets", async () => {
    const path = join(program.directory, "json.yaml");
    await writeFile(
      path,
      "storage: { url: 'postgres://u:hunter2@host/db' }\n" +
        "providers: [{ id: p, dialect: openai-chat, base_url: https://x/v1, api_key: hunter2 }]\n" +
        "models: [{ id: m, targets: [{ provider: p, model: m }] }]\n",
    );
    const { exitCode, stdout, stderr } = await program.run(["check", "--config", path, "--json"]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({
      object: "check",
      file: path,
      storage: "postgres",
      providers: ["p"],
      models: ["m"],
      routes: [],
      auto: false,
      unpriced: ["m"],
      cautions: [],
    });
    expect(stdout).not.toContain("hunter2");
  });

  test("prints ok for a valid configuration, and no secret", async () => {
    const path = join(program.directory, "right.yaml");
    await writeFile(
      path,
      "storage: { url: 'postgres://u:hunter2@host/db' }\n" +
        "providers: [{ id: p, dialect: openai-chat, base_url: https://x/v1, api_key: hunter2 }]\n" +
        "models: [{ id: m, targets: [{ provider: p, model: m }] }]\n",
    );
    for (const words of [
      ["check", "--config", path],
      ["--config", path, "check"],
    ]) {
      const { exitCode, stdout, stderr } = await program.run(words);
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
      expect(stdout).toMatch(/^ok\n[^]*1: p\n[^]*1: m\n[^]*unpriced +1: m\n$/);
      expect(stdout).not.toContain("hunter2");
    }
    expect(await program.run(["check"], { TOLLGATE_CONFIG: path })).toMatchObject({ exitCode: 0 });
  });

  test("counts routes if there are any", async () => {
    const path = join(program.directory, "routes.yaml");
    await writeFile(path, "auto: true\nroutes: [{ id: fast, alias: sandbox-chat }, { id: best, alias: auto }]\n");
    const { stdout } = await program.run(["check", "--config", path]);
    expect(stdout).toMatch(/\n {2}routes {5}2: fast, best\n {2}auto {7}enabled\n$/);
    expect((await program.run(["check"])).stdout).not.toMatch(/routes|auto/);
  });

  test("cautions of a provider that serves no model, with a line to paste", async () => {
    const path = join(program.directory, "idle.yaml");
    await writeFile(path, "providers: [{ id: p, dialect: openai-chat, base_url: https://x/v1 }]\n");
    const { exitCode, stdout } = await program.run(["check", "--config", path]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`caution    no model is served by the provider 'p'.`);
    expect(stdout).toContain('- { id: "p/*", targets: [{ provider: p, model: "*" }] }');
  });

  test("prints all problems to stderr, with exit code 2", async () => {
    const path = join(program.directory, "wrong.yaml");
    await writeFile(path, "server: { port: x }\nlgo: {}\n");
    const { exitCode, stdout, stderr } = await program.run(["check", "--config", path]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toContain(`${path}:1:17: server.port: found "x"`);
    expect(stderr).toContain(`${path}:2:1: lgo: found an unknown name "lgo" (did you mean "log"?)`);
    expect(stderr).not.toContain("    at ");
  });
});

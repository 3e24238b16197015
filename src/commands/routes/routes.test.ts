import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createCommandDirectory, type CommandDirectory } from "../command.testkit.ts";

let program: CommandDirectory;
let config: string;

beforeAll(async () => {
  program = await createCommandDirectory();
  config = join(program.directory, "tollgate.yaml");
});
beforeEach(() => writeFile(config, "routes: [{ id: fixed, alias: sandbox-chat }]\n"));

afterAll(() => program.remove());

const run = (words: string, input?: string) => program.run(words.split(" "), {}, input);

async function listed(): Promise<Record<string, unknown>[]> {
  const { exitCode, stdout, stderr } = await run("routes list --json");
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  return JSON.parse(stdout).data;
}

describe("tollgate routes", () => {
  test("an alias is set, listed, changed and removed", async () => {
    expect(await run("routes set fast --alias sandbox-chat")).toEqual({
      exitCode: 0,
      stdout: "The route fast is set. Running gateways apply this within a second.\n",
      stderr: "",
    });
    const before = Math.floor(Date.now() / 1000) - 60;
    const [fixed, fast] = await listed();
    expect(fixed).toEqual({
      id: "fixed",
      source: "config",
      line: expect.any(Number),
      alias: "sandbox-chat",
      updated_at: null,
    });
    expect(fast).toEqual({
      id: "fast",
      source: "storage",
      line: null,
      alias: "sandbox-chat",
      updated_at: expect.any(Number),
    });
    expect(Number(fast?.updated_at)).toBeGreaterThan(before);

    await run("routes set fast --alias fixed");
    const { stdout } = await run("routes list");
    expect(stdout).toMatch(/^fixed +alias +sandbox-chat +config$/m);
    expect(stdout).toMatch(/^fast +alias +fixed +storage +\d{4}-\d{2}-\d{2} \d{2}:\d{2}$/m);

    expect(await run("routes remove fast")).toMatchObject({ exitCode: 0, stderr: "" });
    expect(await listed()).toHaveLength(1);
  });

  test("a policy is read from a file and from standard input", async () => {
    const path = join(program.directory, "route.json");
    await writeFile(path, '{"targets": ["sandbox-chat", {"model": "sandbox-reasoning", "weight": 3}]}');
    expect(await program.run(["routes", "set", "either", "--file", path])).toMatchObject({ exitCode: 0 });
    const again = '{"strategy": "weighted", "targets": ["sandbox-chat"], "retry": {"attempts": 2}}';
    expect(await run("routes set piped --file -", again)).toMatchObject({ exitCode: 0, stderr: "" });
    expect(await listed()).toMatchObject([
      { id: "fixed" },
      { id: "either", strategy: "priority", targets: [{ weight: 1 }, { model: "sandbox-reasoning", weight: 3 }] },
      { id: "piped", strategy: "weighted", retry: { attempts: 2, budget_ms: 60_000 }, hedge_after_ms: null },
    ]);
    expect((await run("routes list")).stdout).toMatch(
      /^either +priority +sandbox-chat, sandbox-reasoning \(3\) +storage/m,
    );
    await run("routes remove either");
    await run("routes remove piped");
  });

  test.each([
    [
      "set a --alias sandbox-chta",
      "",
      2,
      `'alias': found an unknown name "sandbox-chta" (did you mean "sandbox-chat"?)`,
    ],
    ["set a --alias a", "", 2, "a circular reference: a -> a"],
    ["set sandbox-chat --alias fixed", "", 2, "'id': found the id of a model"],
    [
      "set fixed --alias sandbox-chat",
      "",
      1,
      "The route 'fixed' is defined in the configuration file. Change it there.",
    ],
    ["set a --file -", "{", 2, "standard input is not valid JSON"],
    ["set a --file -", "[]", 2, "the route: found a list of 0"],
    ["set a --file -", `{"targets": []}`, 2, "'targets': found a list of 0 items; allowed: a list of 1 to 64 models"],
    ["set a --file -", `"${"x".repeat(70_000)}"`, 2, "standard input is larger than 65536 bytes"],
    ["set a --file nowhere.json", "", 1, "the file nowhere.json cannot be read (ENOENT)"],
    ["remove fixed", "", 1, "The route 'fixed' is defined in the configuration file"],
    ["remove nothing", "", 1, "The stored route 'nothing' does not exist."],
  ])("%s fails", async (words, input, exitCode, text) => {
    const ended = await run(`routes ${words}`, input);
    expect({ exitCode: ended.exitCode, stdout: ended.stdout }).toEqual({ exitCode, stdout: "" });
    expect(ended.stderr).toStartWith("tollgate: ");
    expect(ended.stderr).toContain(text);
    expect(ended.stderr).not.toContain("    at ");
  });

  test("--json prints the route that is set, and what is removed", async () => {
    const set = await run("routes set shown --alias sandbox-chat --json");
    expect(JSON.parse(set.stdout)).toMatchObject({ id: "shown", source: "storage", alias: "sandbox-chat" });
    const removed = await run("routes remove shown --json");
    expect(JSON.parse(removed.stdout)).toEqual({ id: "shown", object: "route", deleted: true });
  });

  test("a stored route hidden by a configured name is reported and can be removed", async () => {
    await run("routes set later --alias sandbox-chat");
    await writeFile(config, "routes: [{ id: later, alias: sandbox-reasoning }]\n");
    const { stdout, stderr } = await run("routes list");
    expect(stdout.match(/^later /gm)).toHaveLength(2);
    expect(stderr).toContain("the route later is not in force: id: found the id of a route of the configuration");
    expect(await run("routes remove later")).toMatchObject({ exitCode: 0 });
    expect(await listed()).toHaveLength(1);
  });
});

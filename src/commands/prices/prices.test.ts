import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { type CommandDirectory, createCommandDirectory } from "../command.testkit.ts";

let program: CommandDirectory;
beforeAll(async () => {
  program = await createCommandDirectory();
  await write(
    "tollgate.yaml",
    `providers: [{ id: openai, dialect: openai-chat, api_key: k }, { id: local, dialect: openai-chat, base_url: "http://127.0.0.1:1/v1" }]
models:
  - { id: mini, targets: [{ provider: openai, model: gpt-5-mini }] }
  - { id: llama, targets: [{ provider: local, model: llama3.2 }] }
  - { id: own, targets: [{ provider: local, model: x }], prices: { input: 1.5, second: 0.0000305, tiers: [{ above_input_tokens: 200000, input: 3 }] } }
  - { id: "openai/*", targets: [{ provider: openai, model: "*" }] }
`,
  );
  await write("good.json", JSON.stringify({ "llama3.2": { input_cost_per_token: 1e-7, output_cost_per_token: 2e-7 } }));
  await write(
    "dearer.json",
    JSON.stringify({ "llama3.2": { input_cost_per_token: 3e-7, output_cost_per_token: 2e-7 } }),
  );
});
afterAll(() => program.remove());
beforeEach(() => rmSync(join(program.directory, "data"), { recursive: true, force: true }));

const write = (name: string, text: string) => Bun.write(join(program.directory, name), text);

async function run(...words: string[]): Promise<string> {
  const ended = await program.run(["prices", ...words], { USER: "ann" });
  expect(ended).toMatchObject({ exitCode: 0, stderr: "" });
  return ended.stdout;
}

const runJson = async (...words: string[]) => JSON.parse(await run(...words, "--json"));

describe("tollgate prices", () => {
  test("show names the source and the date of each price, before the first start too", async () => {
    const { version, models } = await runJson("show");
    expect(version).toBeNull();
    expect(models).toMatchObject([
      { id: "mini", source: { layer: "bundled", name: "@pydantic/genai-prices 0.1.8", date: "2026-09-23" } },
      {
        id: "own",
        source: { layer: "configured", name: "configuration" },
        pricing: [
          { dimension: "input", unit: "1M_tokens", unit_size: 1_000_000, unit_microusd: 1_500_000 },
          { dimension: "second", unit: "1M_seconds", unit_size: 1_000_000, unit_microusd: 30_500_000 },
          { dimension: "input", unit_microusd: 3_000_000, above_input_tokens: 200_000 },
        ],
      },
    ]);
    expect(await run("show", "openai/gpt-4o")).toMatch(/^openai\/gpt-4o +output +10\.00 +1M_tokens +@pydantic/m);
  });

  test("import puts a price map in force, list says who did it, diff what has changed", async () => {
    expect(await runJson("import", "good.json", "--format", "litellm", "--note", "November")).toMatchObject({
      version: 1,
      author: "ann",
      note: "November",
      changed: true,
      models: 1,
      left_out: [],
    });
    expect(await run("import", "good.json", "--format", "litellm")).toContain("Nothing to change: version 1");
    expect(await run("import", "dearer.json", "--format", "litellm", "--author", "bob")).toContain(
      "Version 2 is in force",
    );
    expect(await runJson("list")).toMatchObject({
      data: [
        { version: 1, author: "ann", note: "November", in_force: false, created_at: expect.any(Number) },
        { version: 2, author: "bob", note: "imported dearer.json", in_force: true },
      ],
    });
    expect(await run("list")).toMatch(/^ +2 +in force +\d{4}-\d\d-\d\d \d\d:\d\d +bob +imported dearer\.json$/m);
    expect(await run("diff", "1", "2")).toMatch(/^llama3\.2 +input +0\.10 +0\.30 +1M_tokens +imported$/m);
    const { differences } = await runJson("diff", "1", "2");
    expect(differences).toMatchObject([
      { layer: "imported", model: "llama3.2", before: { unit_microusd: 100_000 }, after: { unit_microusd: 300_000 } },
    ]);
    expect(await run("diff", "1", "1")).toContain("the same prices");
    expect((await runJson("show", "llama")).models).toMatchObject([{ source: { layer: "imported", name: "litellm" } }]);
    const earlier = await runJson("show", "llama", "--at", "1");
    expect(earlier).toMatchObject({ version: 1, models: [{ pricing: [{ unit_microusd: 100_000 }, {}] }] });
  });

  test("activate and rollback put earlier versions in force again", async () => {
    await run("import", "good.json", "--format", "litellm");
    await run("import", "dearer.json", "--format", "litellm");
    expect(await run("rollback", "--note", "wrong")).toContain("Version 1 is in force");
    expect((await runJson("show", "llama")).version).toBe(1);
    expect(await runJson("activate", "2")).toMatchObject({ version: 2, changed: true, author: "ann" });
    expect(await runJson("activate", "2")).toMatchObject({ version: 2, changed: false });
    const { changes } = await runJson("list");
    expect(changes.map((change: { version: number; note: string }) => [change.version, change.note])).toEqual([
      [1, "imported good.json"],
      [2, "imported dearer.json"],
      [1, "wrong"],
      [2, "version 2 again"],
    ]);
  });

  test("export prints prices as a configuration has them", async () => {
    await run("import", "good.json", "--format", "litellm");
    expect(await run("export")).toContain('- {"id":"llama3.2","prices":{"input":"0.1","output":"0.2"}}');
    expect(await runJson("export")).toMatchObject({
      version: 1,
      layers: [{ layer: "configured" }, { layer: "imported", models: [{ id: "llama3.2", prices: { input: "0.1" } }] }],
    });
  });

  test.each([
    [
      "a negative price",
      { m: { input_cost_per_token: -1, output_cost_per_token: 0 } },
      "m.input_cost_per_token: found -1",
    ],
    ["a missing price", { m: { input_cost_per_token: 1e-6 } }, "m.output_cost_per_token: is missing"],
    ["a duplicate model", '{"m":{},"m":{}}', "the duplicate name 'm'"],
    ["NaN", '{"m":{"input_cost_per_token":NaN,"output_cost_per_token":0}}', "m.input_cost_per_token: found NaN"],
    ["no model", {}, "no model with a price"],
  ])("import of %s changes nothing", async (_, file, problem) => {
    await write("bad.json", typeof file === "string" ? file : JSON.stringify(file));
    const ended = await program.run(["prices", "import", "bad.json", "--format", "litellm"]);
    expect(ended).toMatchObject({ exitCode: 1, stdout: "" });
    expect(ended.stderr).toContain(problem);
    expect((await runJson("list")).data).toEqual([]);
  });

  test.each([
    ["[]", "is not imported. The file: found a list of 0 items; allowed: a map with models"],
    ['{"models": 1}', "is not imported. models: found 1"],
  ])("import of %s in the format of an export says what is wrong", async (file, problem) => {
    await write("bad.json", file);
    const ended = await program.run(["prices", "import", "bad.json", "--format", "tollgate"]);
    expect(ended).toMatchObject({ exitCode: 1, stdout: "", stderr: expect.stringContaining(problem) });
  });

  test("import leaves out what is invalid only if it is told to", async () => {
    const file = { bad: { mode: "chat" }, good: { input_cost_per_token: 1e-6, output_cost_per_token: 0 } };
    await write("mixed.json", JSON.stringify(file));
    const words = ["import", "mixed.json", "--format", "litellm"];
    expect((await program.run(["prices", ...words])).exitCode).toBe(1);
    expect(await runJson(...words, "--skip-invalid")).toMatchObject({ models: 1, left_out: [{ path: "bad" }] });
  });

  test.each([
    [["import", "none.json", "--format", "litellm"], 1, "the file none.json does not exist"],
    [["import", "good.json"], 2, "--format"],
    [["import", "good.json", "--format", "csv"], 2, "litellm, models.dev"],
    [["import", "good.json", "--format", "litellm", "--author", "configuration"], 1, "reserved"],
    [["activate", "7"], 1, "no version 7"],
    [["activate", "-1"], 2, "whole number"],
    [["rollback"], 1, "no earlier version"],
    [["diff", "1", "x"], 2, "whole number"],
    [["show", "nobody"], 1, "the model nobody has no prices in the configuration"],
    [["show", "--at", "3"], 1, "no version 3"],
    [["export"], 1, "no price list yet"],
  ])("%p ends with %d", async (words, exitCode, message) => {
    const ended = await program.run(["prices", ...words]);
    expect(ended.exitCode).toBe(exitCode);
    expect(ended.stderr).toContain(message);
  });
});

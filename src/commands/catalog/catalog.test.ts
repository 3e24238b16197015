import { afterEach, beforeEach, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type CommandDirectory, createCommandDirectory } from "../command.testkit.ts";

let program: CommandDirectory;

const key = "sk-very-secret-key-of-a-provider-4711";
const run = (words: string, input = "") => program.run(words.split(" "), {}, input);
const addProvider = () =>
  run("providers add vendor --dialect openai-chat --base-url https://vendor.example/v1 --api-key -", `${key}\n`);

beforeEach(async () => {
  program = await createCommandDirectory();
  await writeFile(
    join(program.directory, "tollgate.yaml"),
    `providers:
  - { id: fixed, dialect: openai-chat, base_url: "https://fixed.example/v1" }
models:

  - id: fixed-model
    targets: [{ provider: fixed, model: m }]
`,
  );
});
afterEach(() => program.remove());

test("a provider and a model of it are added, listed with the lines of the file beside them, and removed", async () => {
  expect(await addProvider()).toEqual({
    exitCode: 0,
    stdout: "The provider vendor is created. Running gateways apply this within a second.\n",
    stderr: "",
  });
  const model = await run("models add fast --target vendor/gpt-5-mini fixed/m --json");
  expect(JSON.parse(model.stdout)).toMatchObject({
    id: "fast",
    source: "storage",
    targets: [
      { provider: "vendor", model: "gpt-5-mini" },
      { provider: "fixed", model: "m" },
    ],
    problem: null,
  });
  const { stdout } = await run("providers list");
  expect(stdout).toMatch(/^fixed +openai-chat +https:\/\/fixed\.example\/v1 +config, line 2$/m);
  expect(stdout).toMatch(/^vendor +openai-chat +https:\/\/vendor\.example\/v1 +\.\.\.4711 +storage$/m);
  expect(stdout).not.toContain(key);
  expect((await run("models list")).stdout).toMatch(/^fixed-model +fixed\/m +config, line 5$/m);
  // The stored model is known to the other commands.
  expect((await run("routes set quick --alias fast")).exitCode).toBe(0);
  const used = await run("models remove fast");
  expect(used).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("used by the route 'quick'") });
  await run("routes remove quick");
  expect((await run("providers remove vendor")).stderr).toContain("used by the model 'fast'");
  expect(JSON.parse((await run("models remove fast --json")).stdout)).toEqual({
    id: "fast",
    object: "model_definition",
    deleted: true,
  });
  expect((await run("providers remove vendor")).stdout).toStartWith("The provider vendor is removed.");
  const changes = JSON.parse((await run("changes --kind provider --json")).stdout) as { data: { action: string }[] };
  expect(changes.data.map(({ action }) => action)).toEqual(["remove", "create"]);
}, 60_000);

test("a file has the other fields, and what is wrong is a wrong command line that names the field", async () => {
  const file = join(program.directory, "provider.json");
  await writeFile(file, JSON.stringify({ dialect: "openai-chat", base_url: "https://a.example", max_in_flight: 0 }));
  const wrong = await program.run(["providers", "add", "a", "--file", file]);
  expect(wrong).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("max_in_flight") });
  expect((await run("models add m --target nowhere")).exitCode).toBe(2);
  expect((await run("models add m --target vendor/x")).stderr).toContain("targets[0].provider");
  expect((await run("providers remove fixed")).stderr).toContain("configuration file");
  expect((await run("providers add fixed --dialect openai-chat")).stderr).toContain("configuration file");
}, 60_000);

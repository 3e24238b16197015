import { afterAll, beforeAll, expect, test } from "bun:test";
import { type CommandDirectory, createCommandDirectory } from "./command.testkit.ts";

const systemUser = Bun.spawnSync(["id", "-un"]).stdout.toString().trim();

let program: CommandDirectory;
beforeAll(async () => {
  program = await createCommandDirectory();
});
afterAll(() => program.remove());

async function run(...words: string[]): Promise<string> {
  const ended = await program.run(words, { USER: "somebody-else" });
  expect(ended).toMatchObject({ exitCode: 0, stderr: "" });
  return ended.stdout;
}

test("changes made by commands are shown with the user of the system, newest first, without secrets", async () => {
  expect(await run("changes")).toBe("There are no changes.\n");
  const { id, key } = JSON.parse(await run("keys", "create", "--name", "watched", "--json"));
  await run("keys", "rotate", id, "--overlap", "1h");
  await run("keys", "disable", id);
  await run("routes", "set", "fast", "--alias", "sandbox-chat");
  const by = { kind: "command_line", user: systemUser };
  const { data } = JSON.parse(await run("changes", "--json"));
  expect(data).toMatchObject([
    { by, kind: "route", id: "fast", action: "create", before: null, after: { alias: "sandbox-chat" } },
    { by, kind: "key", id, action: "disable", before: { disabled_at: null } },
    { by, kind: "key", id, action: "rotate", before: { old_secret_expires_at: null } },
    { by, kind: "key", id, action: "create", before: null, after: { name: "watched" } },
  ]);
  expect(JSON.stringify(data)).not.toContain(key.slice(17));

  const shown = await run("changes", "--kind", "key", "--limit", "2");
  const who = `${systemUser} \\(command line\\)`;
  expect(shown).toMatch(
    new RegExp(`^WHEN.*\\n.* ${who} +key +${id} +disable +disabled_at\\n.* rotate +old_secret_expires_at\\n$`),
  );
});

test("a kind that does not exist is a usage error", async () => {
  const ended = await program.run(["changes", "--kind", "keys"]);
  expect(ended.exitCode).toBe(2);
  expect(ended.stderr).toContain("key, price_list, route");
});

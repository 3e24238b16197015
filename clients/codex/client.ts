import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Cell, Client } from "../client.ts";
import { installFromNpm } from "../npm.ts";
import { type ProgramOutput, tail } from "../program.ts";
import { exportedVariables } from "../settings.ts";

/** OpenAI's coding agent. It always streams. */
export const client: Client = {
  name: "codex",
  title: "Codex",
  install: (folder) => installFromNpm(import.meta.dir, folder, "@openai/codex"),
  cases: [
    {
      name: "streamed answer",
      async run(cell) {
        const { stdout } = await execute(cell, cell.prompt("Say it.", { text: "All is well." }));
        assert.match(stdout, /"text":"All is well\."/);
        await cell.expectCharges(1);
      },
    },
    {
      name: "tool call",
      async run(cell) {
        const turns = [
          { tool_calls: [{ name: "shell", arguments: { command: ["sh", "-c", "echo done > proof.txt"] } }] },
        ];
        await execute(cell, cell.prompt("Do it.", { turns }));
        await cell.expectCharges(2);
      },
    },
  ],
};

async function execute(cell: Cell, prompt: string): Promise<ProgramOutput> {
  mkdirSync(join(cell.folder, ".codex"));
  writeFileSync(join(cell.folder, ".codex/config.toml"), await cell.settings("Codex", "~/.codex/config.toml"));
  const environment = exportedVariables(await cell.settings("Codex", "sh"));
  const program = join(cell.installed.folder, "node_modules/.bin/codex");
  const options = ["--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"];
  const output = await cell.run([program, "exec", ...options, prompt], { environment });
  assert.equal(output.exitCode, 0, tail(output.stderr + output.stdout));
  return output;
}

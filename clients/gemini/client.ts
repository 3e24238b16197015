import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Agent, agentCases } from "../agent.ts";
import type { Cell, Client } from "../client.ts";
import { installFromNpm } from "../npm.ts";
import { tail } from "../program.ts";
import { exportedVariables } from "../settings.ts";

const agent: Agent = {
  async setUp(cell) {
    mkdirSync(join(cell.folder, ".gemini"));
    const settings = await cell.settings("Gemini CLI", "~/.gemini/settings.json");
    writeFileSync(join(cell.folder, ".gemini/settings.json"), settings);
  },
  ask: (cell, prompt, { resume }) => ask(cell, prompt, resume ? ["--resume", "latest"] : []),
  shellCall: (command) => ({ name: "run_shell_command", arguments: { command } }),
};

async function ask(cell: Cell, prompt: string, more: readonly string[]) {
  const environment = exportedVariables(await cell.settings("Gemini CLI", "sh"));
  const program = join(cell.installed.folder, "node_modules/.bin/gemini");
  const options = ["--skip-trust", "--yolo", "--output-format", "json", ...more];
  return cell.run([program, ...options, "--prompt", prompt], { environment });
}

/** `auto` lets one of Google's models choose between two others for every prompt. */
async function chooseModel(cell: Cell): Promise<void> {
  await cell.putRoutes(await cell.settings("Gemini CLI", "tollgate.yaml"));
  await agent.setUp(cell);
  // Without a script, the sandbox chooses by the schema, and then repeats the prompt.
  const { exitCode, stdout, stderr } = await ask(cell, "Are you there?", ["--model", "auto"]);
  assert.equal(exitCode, 0, tail(stderr + stdout));
  assert.match(stdout, /"response": "You said: .*Are you there\?/);
  await cell.expectCharges(0);
  const names = (await cell.records()).map(({ routing }) => routing.requested_model);
  assert.ok(names.length > 1 && names.every((name) => name.startsWith("gemini-")), `asked for ${names.join(", ")}`);
}

/** Google's coding agent, at `/v1beta/models/{model}:streamGenerateContent`. */
export const client: Client = {
  name: "gemini",
  title: "Gemini CLI",
  install: (folder) => installFromNpm(import.meta.dir, folder, "@google/gemini-cli"),
  cases: [
    ...agentCases(agent, {
      "resumed session": { gemini: "a resumed session repeats every tool result (0.61), which Google refuses too" },
    }),
    { name: "its own choice of a model", run: chooseModel },
  ],
};

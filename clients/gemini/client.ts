import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Agent, agentCases } from "../agent.ts";
import type { Client } from "../client.ts";
import { installFromNpm } from "../npm.ts";
import { exportedVariables } from "../settings.ts";

const agent: Agent = {
  async setUp(cell) {
    mkdirSync(join(cell.folder, ".gemini"));
    const settings = await cell.settings("Gemini CLI", "~/.gemini/settings.json");
    writeFileSync(join(cell.folder, ".gemini/settings.json"), settings);
  },
  async ask(cell, prompt, { resume }) {
    const environment = exportedVariables(await cell.settings("Gemini CLI", "sh"));
    const program = join(cell.installed.folder, "node_modules/.bin/gemini");
    const session = resume ? ["--resume", "latest"] : [];
    const options = ["--skip-trust", "--yolo", "--output-format", "json", ...session];
    return cell.run([program, ...options, "--prompt", prompt], { environment });
  },
  shellCall: (command) => ({ name: "run_shell_command", arguments: { command } }),
};

/** Google's coding agent, at `/v1beta/models/{model}:streamGenerateContent`. */
export const client: Client = {
  name: "gemini",
  title: "Gemini CLI",
  install: (folder) => installFromNpm(import.meta.dir, folder, "@google/gemini-cli"),
  cases: agentCases(agent, {
    "resumed session": { gemini: "a resumed session repeats every tool result (0.61), which Google refuses too" },
  }),
};

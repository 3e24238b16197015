import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Agent, agentCases } from "../agent.ts";
import type { Client } from "../client.ts";
import { installFromNpm } from "../npm.ts";

const agent: Agent = {
  async setUp(cell) {
    mkdirSync(join(cell.folder, ".continue"));
    const settings = await cell.settings("Continue", "~/.continue/config.yaml");
    writeFileSync(join(cell.folder, ".continue/config.yaml"), settings);
  },
  async ask(cell, prompt, { resume }) {
    const program = join(cell.installed.folder, "node_modules/.bin/cn");
    const config = join(cell.folder, ".continue/config.yaml");
    const options = ["--config", config, "--auto", "--format", "json", ...(resume ? ["--resume"] : [])];
    const environment = { CONTINUE_TELEMETRY_ENABLED: "0" };
    return cell.run([program, ...options, "--print", prompt], { environment });
  },
  shellCall: (command) => ({ name: "Bash", arguments: { command } }),
};

/** The coding agent Continue in its form for terminals, at `/v1/chat/completions`. */
export const client: Client = {
  name: "continue",
  title: "Continue",
  install: (folder) => installFromNpm(import.meta.dir, folder, "@continuedev/cli"),
  cases: agentCases(agent),
};

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Agent, agentCases } from "../agent.ts";
import { type Client, Skip } from "../client.ts";
import { installFromNpm } from "../npm.ts";
import { exportedVariables } from "../settings.ts";

/** What the package `opencode-ai` puts in place by an install script. */
const platformPackage = "opencode-linux-x64";

const quiet = {
  OPENCODE_DISABLE_AUTOUPDATE: "1",
  OPENCODE_DISABLE_MODELS_FETCH: "1",
  OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
  OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
  OPENCODE_DISABLE_SHARE: "1",
};

const agent: Agent = {
  async setUp(cell) {
    const folder = join(cell.folder, ".config/opencode");
    mkdirSync(folder, { recursive: true });
    const settings = await cell.settings("opencode", "~/.config/opencode/opencode.json");
    writeFileSync(join(folder, "opencode.json"), settings);
  },
  async ask(cell, prompt, { resume }) {
    const environment = { ...quiet, ...exportedVariables(await cell.settings("opencode", "sh")) };
    const program = join(cell.installed.folder, "node_modules", platformPackage, "bin/opencode");
    const options = ["--format", "json", "--auto", "--title", "Suite", ...(resume ? ["--continue"] : [])];
    // An argument with spaces would be quoted again.
    return cell.run([program, "run", ...options], { environment, stdin: prompt });
  },
  shellCall: (command) => ({ name: "bash", arguments: { command, description: "Runs it" } }),
};

/** The coding agent opencode, at `/v1/chat/completions`. */
export const client: Client = {
  name: "opencode",
  title: "opencode",
  async install(folder) {
    if (process.platform !== "linux" || process.arch !== "x64") throw new Skip(`pinned as ${platformPackage} only`);
    return installFromNpm(import.meta.dir, folder, platformPackage);
  },
  cases: agentCases(agent),
};

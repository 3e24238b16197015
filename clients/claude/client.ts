import { join } from "node:path";
import { type Agent, agentCases } from "../agent.ts";
import type { Client } from "../client.ts";
import { installFromNpm } from "../npm.ts";
import { exportedVariables } from "../settings.ts";

const agent: Agent = {
  setUp: async () => {},
  async ask(cell, prompt, { resume }) {
    const environment = {
      ...exportedVariables(await cell.settings("Claude Code", "sh")),
      // Skipping permissions is refused to root outside a sandbox.
      IS_SANDBOX: "1",
    };
    // The package's own `claude` is put in place by an install script.
    const platform = `@anthropic-ai/claude-code-${process.platform}-${process.arch}`;
    const program = join(cell.installed.folder, "node_modules", platform, "claude");
    const options = ["--output-format", "json", "--dangerously-skip-permissions", ...(resume ? ["--continue"] : [])];
    return cell.run([program, ...options, "--print", prompt], { environment });
  },
  shellCall: (command) => ({ name: "Bash", arguments: { command, description: "Runs it" } }),
};

/** Anthropic's coding agent, at `/v1/messages`. */
export const client: Client = {
  name: "claude",
  title: "Claude Code",
  install: (folder) => installFromNpm(import.meta.dir, folder, "@anthropic-ai/claude-code"),
  cases: agentCases(agent),
};

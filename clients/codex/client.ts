import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Agent, agentCases } from "../agent.ts";
import type { Cell, Client } from "../client.ts";
import { installFromNpm } from "../npm.ts";
import { exportedVariables } from "../settings.ts";

/** Not needed by a user, but by a suite that reaches no other host. */
const quiet = `
check_for_update_on_startup = false
[analytics]
enabled = false
`;

const agent: Agent = {
  async setUp(cell) {
    mkdirSync(join(cell.folder, ".codex"));
    const settings = await cell.settings("Codex", "~/.codex/config.toml");
    // Top-level keys must stand before the first table.
    const [top = "", tables = ""] = settings.split(/^(?=\[)/m);
    writeFileSync(join(cell.folder, ".codex/config.toml"), `${top}${quiet}\n${tables}`);
  },
  async ask(cell, prompt, { resume }) {
    const environment = exportedVariables(await cell.settings("Codex", "sh"));
    const program = join(cell.installed.folder, "node_modules/.bin/codex");
    const options = ["--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"];
    const session = resume ? ["resume", "--last"] : [];
    return cell.run([program, "exec", ...session, ...options, prompt], { environment });
  },
  shellCall: (command) => ({ name: "exec_command", arguments: { cmd: command } }),
};

/** Its tools for further agents are a namespace, of which no other dialect knows. */
async function callNamespace(cell: Cell): Promise<void> {
  await agent.setUp(cell);
  const turns = [{ tool_calls: [{ name: "multi_agent_v1__close_agent", arguments: { target: "none such" } }] }];
  const { stdout } = await agent.ask(cell, cell.prompt("Close it.", { turns }), { resume: false });
  // A call whose name it does not know would be unsupported.
  assert.match(stdout, /none such/);
  await cell.expectCharges(2);
}

/** OpenAI's coding agent, at `/v1/responses`. */
export const client: Client = {
  name: "codex",
  title: "Codex",
  install: (folder) => installFromNpm(import.meta.dir, folder, "@openai/codex"),
  cases: [...agentCases(agent), { name: "tool of a namespace", run: callNamespace }],
};

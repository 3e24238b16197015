import assert from "node:assert/strict";
import { join } from "node:path";
import { type Agent, agentCases } from "../agent.ts";
import { type Cell, type Client, Skip } from "../client.ts";
import { installFromNpm } from "../npm.ts";
import { tail } from "../program.ts";

/** What the package `cline` depends on. */
const platformPackage = "@cline/cli-linux-x64";

const agent: Agent = {
  async setUp(cell) {
    const { exitCode, stdout, stderr } = await cell.run(["sh", "-c", await cell.settings("Cline", "sh")], onPath(cell));
    assert.equal(exitCode, 0, tail(stderr + stdout));
  },
  ask: (cell, prompt) =>
    cell.run(["cline", "--json", "--provider", "openai-compatible", "--model", cell.model, prompt], onPath(cell)),
  shellCall: (command) => ({ name: "run_commands", arguments: { commands: [command] } }),
};

function onPath({ installed }: Cell) {
  const programs = join(installed.folder, "node_modules/.bin");
  return { environment: { PATH: `${programs}:${process.env.PATH ?? ""}`, CLINE_NO_AUTO_UPDATE: "1" } };
}

/** The coding agent Cline in its form for terminals, at `/v1/chat/completions`. */
export const client: Client = {
  name: "cline",
  title: "Cline",
  async install(folder) {
    if (process.platform !== "linux" || process.arch !== "x64") throw new Skip(`pinned as ${platformPackage} only`);
    return installFromNpm(import.meta.dir, folder, platformPackage);
  },
  cases: agentCases(agent, { "resumed session": "its terminal form resumes a session only by an id" }),
};

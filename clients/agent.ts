import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Script } from "../src/sandbox/server.ts";
import type { Case, Cell } from "./client.ts";
import { type ProgramOutput, tail } from "./program.ts";

/** A coding agent that runs without a terminal, with a shell among its tools. */
export interface Agent {
  /** Writes the settings into the cell's folder; called once for a cell. */
  setUp(cell: Cell): Promise<void>;
  /** Runs one prompt to its end, in the latest session if `resume`. */
  ask(cell: Cell, prompt: string, options: { readonly resume: boolean }): Promise<ProgramOutput>;
  /** A call of its shell tool. */
  shellCall(command: string): ToolCall;
}

export type ToolCall = NonNullable<Script["tool_calls"]>[number];

/** Only a shell that runs the command writes the result, in the answer and in a file. */
const proof = { command: "printf 'made by %s\\n' shell | tee proof.txt", result: "made by shell" };
/** An agent that repeats what cannot succeed takes longer. */
const wrongKeyLimitMs = 60_000;

/**
 * What every agent must be able to do. All agents stream.
 * @param skips by the name of the case, why it does not apply at some providers
 */
export function agentCases(agent: Agent, skips: Readonly<Partial<Record<string, Case["skip"]>>> = {}): Case[] {
  return casesOf(agent).map((testCase) => {
    const skip = skips[testCase.name];
    return skip === undefined ? testCase : { ...testCase, skip };
  });
}

function casesOf(agent: Agent): Case[] {
  return [
    {
      name: "streamed answer",
      async run(cell) {
        await agent.setUp(cell);
        const output = await succeed(agent, cell, cell.prompt("How is it?", { text: "All is well." }));
        assert.ok(output.includes("All is well."), `the answer is missing: ${tail(output)}`);
        await cell.expectCharges(1);
      },
    },
    {
      name: "tool call",
      run: (cell) => callTools(agent, cell, { tool_calls: [agent.shellCall(proof.command)] }),
    },
    {
      name: "tool call after thinking",
      run: (cell) =>
        callTools(agent, cell, { reasoning: "It must run.", tool_calls: [agent.shellCall(proof.command)] }),
    },
    {
      name: "two calls at once",
      async run(cell) {
        const calls = [agent.shellCall(proof.command), agent.shellCall("echo second > second.txt")];
        await callTools(agent, cell, { tool_calls: calls });
        assert.ok(existsSync(join(cell.folder, "second.txt")), "the second call was not run");
      },
    },
    {
      name: "resumed session",
      async run(cell) {
        await agent.setUp(cell);
        const script = { turns: [{ tool_calls: [agent.shellCall(proof.command)] }, { text: "It ran." }] };
        await succeed(agent, cell, cell.prompt("Run it.", script));
        const output = await succeed(agent, cell, cell.prompt("And now?", { text: "Still well." }), true);
        assert.ok(output.includes("Still well."), `the second answer is missing: ${tail(output)}`);
        await cell.expectCharges(3);
      },
    },
    {
      name: "wrong key",
      limitMs: wrongKeyLimitMs,
      async run(cell) {
        const key = "sk-tg-your-key";
        const settings: Cell["settings"] = async (...block) =>
          (await cell.settings(...block)).replaceAll(cell.key, key);
        const stranger = { ...cell, key, settings };
        await agent.setUp(stranger);
        const { stdout, stderr } = await agent.ask(stranger, "Say hello.", { resume: false });
        const output = stdout + stderr;
        assert.match(output, /Malformed API key/, `the gateway's words are missing: ${tail(output)}`);
      },
    },
  ];
}

/** Runs a script of tool calls and checks that they were really run and their results were read by the provider. */
async function callTools(agent: Agent, cell: Cell, first: Script): Promise<void> {
  await agent.setUp(cell);
  // Without a script for its second step, the sandbox repeats the results.
  const output = await succeed(agent, cell, cell.prompt("Run it.", { turns: [first] }));
  const file = join(cell.folder, "proof.txt");
  assert.ok(existsSync(file), `the tool was not run: ${tail(output)}`);
  assert.equal(readFileSync(file, "utf8").trim(), proof.result);
  assert.ok(output.includes(proof.result), `the result did not come back: ${tail(output)}`);
  await cell.expectCharges(2);
}

async function succeed(agent: Agent, cell: Cell, prompt: string, resume = false): Promise<string> {
  const { exitCode, stdout, stderr } = await agent.ask(cell, prompt, { resume });
  assert.equal(exitCode, 0, `it ended with ${exitCode}: ${tail(stderr + stdout)}`);
  return stdout;
}

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Call } from "./contenders/contender.ts";
import { run } from "./processes.ts";

export interface WrkOutcome {
  /** Complete answers, all with a 2xx status. */
  readonly answered: number;
  /** The duration that it ran, a little more than requested. */
  readonly seconds: number;
}

/** Drives `connections` connections as fast as they are answered. Throws if an answer was not a good one. */
export async function runWrk(
  command: readonly string[],
  call: Call,
  load: { readonly connections: number; readonly seconds: number; readonly folder: string },
): Promise<WrkOutcome> {
  const script = join(load.folder, "wrk.lua");
  writeFileSync(script, luaScript(call));
  const options = ["-t1", `-c${load.connections}`, `-d${load.seconds}s`, "--timeout", "30s", "-s", script];
  return parseWrk(await run([...command, ...options, `http://127.0.0.1:${call.port}${call.path}`]));
}

/** Reads what wrk 4 prints. */
export function parseWrk(output: string): WrkOutcome {
  const totals = /(\d+) requests in ([\d.]+)(ms|s|m),/.exec(output);
  if (totals === null) throw new Error(`wrk printed no totals:\n${output}`);
  const fault = /Non-2xx or 3xx responses: \d+|Socket errors: .*/.exec(output);
  if (fault !== null) throw new Error(`the load was not answered well: ${fault[0]}`);
  const unit = { ms: 0.001, s: 1, m: 60 }[totals[3] ?? "s"] ?? 1;
  return { answered: Number(totals[1]), seconds: Number(totals[2]) * unit };
}

function luaScript(call: Call): string {
  const headers = Object.entries(call.headers).map(([name, value]) => `wrk.headers[ [[${name}]] ] = [[${value}]]`);
  return ['wrk.method = "POST"', `wrk.body = [==[${call.body}]==]`, ...headers].join("\n");
}

import type { Call } from "../contender.ts";
import { stop } from "../processes.ts";
import { median } from "../statistics.ts";
import { spawnTollgate, tollgateCall, type TollgateSetup } from "../tollgate.ts";

/** Milliseconds from spawning the launcher to the end of the first good answer to a chat call. */
export interface Start {
  readonly median: number;
  readonly runs: readonly number[];
}

const limitMilliseconds = 15_000;

/** Starts a Tollgate again and again, each time until it has answered one chat call. */
export async function measureStart(setup: TollgateSetup, runs: number): Promise<Start> {
  const times: number[] = [];
  for (let count = 0; count < runs; count++) {
    const started = performance.now();
    const server = spawnTollgate(setup);
    await firstAnswer(tollgateCall(setup, "json"), started + limitMilliseconds);
    times.push(performance.now() - started);
    await stop(server);
  }
  return { median: median(times), runs: times };
}

async function firstAnswer(call: Call, limit: number): Promise<void> {
  let status: number | null = null;
  while (performance.now() < limit) {
    status = await ask(call);
    if (status === 200) return;
    await Bun.sleep(1);
  }
  throw new Error(
    `Tollgate gave no good answer within ${limitMilliseconds} ms of its start; its last status: ${status}`,
  );
}

/** The status of one call; null where nothing listens yet. */
async function ask({ port, path, headers, body }: Call): Promise<number | null> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", headers, body });
    await response.text();
    return response.status;
  } catch {
    return null;
  }
}

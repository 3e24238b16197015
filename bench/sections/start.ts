import type { ByContender, Call } from "../contenders/contender.ts";
import { stop } from "../processes.ts";
import { median } from "../results/statistics.ts";
import { spawnTollgate, tollgateCall, type TollgateSetup } from "../contenders/tollgate.ts";

/** Milliseconds from spawning the launcher to the end of the first good answer to a chat call. */
export interface Start {
  readonly median: number;
  readonly runs: readonly number[];
}

const limitMilliseconds = 15_000;

/** Starts the Tollgates again and again, in turn, each time until one has answered a chat call. */
export async function measureStart(
  setups: ReadonlyMap<string, TollgateSetup>,
  runs: number,
): Promise<ByContender<Start>> {
  const measured = new Map([...setups.keys()].map((name) => [name, new Array<number>()]));
  for (let count = 0; count < runs; count++) {
    for (const [name, setup] of setups) measured.get(name)?.push(await startOnce(setup));
  }
  return Object.fromEntries([...measured].map(([name, times]) => [name, { median: median(times), runs: times }]));
}

async function startOnce(setup: TollgateSetup): Promise<number> {
  const started = performance.now();
  const server = spawnTollgate(setup);
  await firstAnswer(tollgateCall(setup, "json"), started + limitMilliseconds);
  const elapsed = performance.now() - started;
  await stop(server);
  return elapsed;
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

/** The status of one call; null if nothing listens yet. */
async function ask({ port, path, headers, body }: Call): Promise<number | null> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", headers, body });
    await response.text();
    return response.status;
  } catch {
    return null;
  }
}

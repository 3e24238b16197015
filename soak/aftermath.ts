import { askIn } from "./dialects.ts";
import { exchange, type Seen } from "./exchange.ts";
import type { Ledger } from "./ledger.ts";
import type { Stage } from "./stage.ts";
import { connectionsTo, type Idleness, idleness, openFiles } from "./watch.ts";
import { restoreAll, setScript } from "./upstream-behaviour.ts";
import { drainMs, limits, maxAnswerMs, maxInFlight } from "./world.ts";

/** The state after the last call: everything that was taken must have been released. */
export interface Aftermath {
  /** Calls to targets that are still in flight. */
  readonly callsInFlight: number;
  /** Connections to the upstreams, a good minute after the load. */
  readonly upstreamConnections: number;
  readonly openFiles: number;
  readonly idle: Idleness;
  /** Of as many streams at once as the gateway takes: how many were taken, and whether one more was refused. */
  readonly placesTaken: number;
  readonly refusedOneMore: boolean;
  /** The same for the key with limits, at once and in its minute. */
  readonly keyPlacesTaken: number;
  readonly keyRefusedOneMore: boolean;
  /** As these were told. */
  readonly requestsLeftInMinute: number;
  readonly stop: {
    readonly exitCode: number | null;
    readonly milliseconds: number;
    readonly streams: number;
    readonly whole: number;
  };
}

/**
 * A key that was active counts as such for a minute, limits look back as far, the sandbox keeps silent connections as long, and
 * the gateway keeps those of its callers for 75 s.
 */
const quietMs = 80_000;
const maxQuietMs = 100_000;
const idleSeconds = 5;
const streamsAtStop = 20;

/** Looks at the idle gateway, fills it to its limit once more, and stops it in the middle of work. */
export async function lookAfter(stage: Stage, ledger: Ledger): Promise<Aftermath> {
  const { gateway, upstreamPort, upstreamUrl } = stage;
  const endedAt = performance.now();
  const since = () => performance.now() - endedAt;
  await restoreAll(upstreamUrl);
  let callsInFlight = await callsUnderWay(stage);
  while (callsInFlight > 0 && since() < maxAnswerMs * 2) {
    await Bun.sleep(250);
    callsInFlight = await callsUnderWay(stage);
  }
  let upstreamConnections = connectionsTo(gateway.pid, upstreamPort);
  while (since() < quietMs || (upstreamConnections > 0 && since() < maxQuietMs)) {
    await Bun.sleep(500);
    upstreamConnections = connectionsTo(gateway.pid, upstreamPort);
  }
  const files = openFiles(gateway.pid);
  const idle = await idleness(gateway.pid, idleSeconds);

  await setScript(upstreamUrl, "sandbox-steady", { latency_ms: 10, chunk_delay_ms: 100, chunks: 25 });
  const all = await fill(stage, ledger, "plain", maxInFlight);
  const own = await fill(stage, ledger, "limited", limits.concurrent);
  return {
    callsInFlight,
    upstreamConnections,
    openFiles: files,
    idle,
    placesTaken: all.taken,
    refusedOneMore: all.refused,
    keyPlacesTaken: own.taken,
    keyRefusedOneMore: own.refused,
    requestsLeftInMinute: own.left,
    stop: await stopAtWork(stage, ledger),
  };
}

async function callsUnderWay({ gatewayUrl, adminKey }: Stage): Promise<number> {
  const headers = { authorization: `Bearer ${adminKey}` };
  const response = await fetch(`${gatewayUrl}/api/admin/health`, { headers });
  const { data } = (await response.json()) as { readonly data: readonly { readonly in_flight: number }[] };
  return data.reduce((sum, { in_flight }) => sum + in_flight, 0);
}

/** So many streams at once, and one more while they run. */
async function fill(stage: Stage, ledger: Ledger, keyName: "plain" | "limited", places: number) {
  const desk = { gatewayUrl: stage.gatewayUrl, keyName, ledger };
  const asking = askIn("chat", { key: stage.keys[keyName], model: "steady", text: "To the brim", stream: true });
  const running = Array.from({ length: places }, () => exchange(desk, asking));
  await untilUnderWay(stage, places);
  const oneMore = await exchange(desk, asking);
  const answers = await Promise.all(running);
  const left = Math.max(...answers.map((answer) => answer?.requestsLeft ?? 0));
  return { taken: answers.filter(isWhole).length, refused: oneMore !== null && oneMore.status !== 200, left };
}

async function untilUnderWay(stage: Stage, calls: number): Promise<void> {
  for (let tries = 0; tries < 100 && (await callsUnderWay(stage)) < calls; tries++) await Bun.sleep(10);
}

/** SIGTERM while streams run: they are finished, and the process ends well. */
async function stopAtWork(stage: Stage, ledger: Ledger): Promise<Aftermath["stop"]> {
  const { gateway, gatewayUrl, keys } = stage;
  const asking = askIn("chat", { key: keys.plain, model: "steady", text: "The last one", stream: true });
  const desk = { gatewayUrl, keyName: "plain", ledger };
  const running = Array.from({ length: streamsAtStop }, () => exchange(desk, asking));
  await untilUnderWay(stage, streamsAtStop);
  const signalled = performance.now();
  gateway.kill("SIGTERM");
  const answers = await Promise.all(running);
  await Promise.race([gateway.exited, Bun.sleep(drainMs * 2)]);
  const milliseconds = performance.now() - signalled;
  const whole = answers.filter(isWhole).length;
  return { exitCode: gateway.exitCode, milliseconds, streams: streamsAtStop, whole };
}

function isWhole(seen: Seen | null): boolean {
  return seen?.ending === "whole";
}

import { requestIn } from "./dialects.ts";
import { exchange, type Outcome } from "./exchange.ts";
import type { Ledger } from "./ledger.ts";
import type { Setup } from "./setup.ts";
import { connectionsTo, type Idleness, idleness, openFiles } from "./watch.ts";
import { clearFaults, setScript } from "./faults.ts";
import { drainMs, limits, maxAnswerMs, maxInFlight } from "./world.ts";

/** The state of the gateway after the load. */
export interface Aftermath {
  /** Calls in flight at targets. */
  readonly callsInFlight: number;
  /** Connections to the upstreams, a minute after the load. */
  readonly upstreamConnections: number;
  readonly openFiles: number;
  readonly idle: Idleness;
  /** With as many streams as the gateway admits: how many were admitted, and whether one more was refused. */
  readonly placesTaken: number;
  readonly refusedOneMore: boolean;
  /** The same for the limited key. */
  readonly keyPlacesTaken: number;
  readonly keyRefusedOneMore: boolean;
  /** The remaining requests of the limited key in its minute. */
  readonly requestsLeftInMinute: number;
  readonly stop: {
    readonly exitCode: number | null;
    readonly milliseconds: number;
    readonly streams: number;
    readonly whole: number;
  };
}

/** Activity and limits have a window of a minute, and the sandbox keeps idle connections about as long. */
const quietMs = 66_000;
const maxQuietMs = 100_000;
const idleSeconds = 5;
const streamsAtStop = 20;

/** Inspects the idle gateway, fills it to its limit, and stops it during work. */
export async function lookAfter(setup: Setup, ledger: Ledger): Promise<Aftermath> {
  const { gateway, upstreamPort, upstreamUrl } = setup;
  const endedAt = performance.now();
  const since = () => performance.now() - endedAt;
  await clearFaults(upstreamUrl);
  let callsInFlight = await callsInFlightNow(setup);
  while (callsInFlight > 0 && since() < maxAnswerMs * 2) {
    await Bun.sleep(250);
    callsInFlight = await callsInFlightNow(setup);
  }
  let upstreamConnections = connectionsTo(gateway.pid, upstreamPort);
  while (since() < quietMs || (upstreamConnections > 0 && since() < maxQuietMs)) {
    await Bun.sleep(500);
    upstreamConnections = connectionsTo(gateway.pid, upstreamPort);
  }
  const files = openFiles(gateway.pid);
  const idle = await idleness(gateway.pid, idleSeconds);

  await setScript(upstreamUrl, "sandbox-steady", { latency_ms: 10, chunk_delay_ms: 100, chunks: 25 });
  const all = await fill(setup, ledger, "plain", maxInFlight);
  const own = await fill(setup, ledger, "limited", limits.concurrent);
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
    stop: await stopAtWork(setup, ledger),
  };
}

async function callsInFlightNow({ gatewayUrl, adminKey }: Setup): Promise<number> {
  const headers = { authorization: `Bearer ${adminKey}` };
  const response = await fetch(`${gatewayUrl}/api/admin/health`, { headers });
  const { data } = (await response.json()) as { readonly data: readonly { readonly in_flight: number }[] };
  return data.reduce((sum, { in_flight }) => sum + in_flight, 0);
}

/** Opens this many concurrent streams, and one more while they run. */
async function fill(setup: Setup, ledger: Ledger, keyName: "plain" | "limited", places: number) {
  const client = { gatewayUrl: setup.gatewayUrl, keyName, ledger };
  const request = requestIn("chat", { key: setup.keys[keyName], model: "steady", text: "To the brim", stream: true });
  const running = Array.from({ length: places }, () => exchange(client, request));
  await untilInFlight(setup, places);
  const oneMore = await exchange(client, request);
  const answers = await Promise.all(running);
  const left = Math.max(...answers.map((answer) => answer?.requestsLeft ?? 0));
  return { taken: answers.filter(isWhole).length, refused: oneMore !== null && oneMore.status !== 200, left };
}

async function untilInFlight(setup: Setup, calls: number): Promise<void> {
  for (let tries = 0; tries < 100 && (await callsInFlightNow(setup)) < calls; tries++) await Bun.sleep(10);
}

/** Sends SIGTERM while streams run: they must finish, and the process must exit with 0. */
async function stopAtWork(setup: Setup, ledger: Ledger): Promise<Aftermath["stop"]> {
  const { gateway, gatewayUrl, keys } = setup;
  const request = requestIn("chat", { key: keys.plain, model: "steady", text: "The last one", stream: true });
  const client = { gatewayUrl, keyName: "plain", ledger };
  const running = Array.from({ length: streamsAtStop }, () => exchange(client, request));
  await untilInFlight(setup, streamsAtStop);
  const signalled = performance.now();
  gateway.kill("SIGTERM");
  const answers = await Promise.all(running);
  await Promise.race([gateway.exited, Bun.sleep(drainMs * 2)]);
  const milliseconds = performance.now() - signalled;
  const whole = answers.filter(isWhole).length;
  return { exitCode: gateway.exitCode, milliseconds, streams: streamsAtStop, whole };
}

function isWhole(seen: Outcome | null): boolean {
  return seen?.ending === "whole";
}

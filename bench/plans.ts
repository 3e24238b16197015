/** How much each section measures, by the options: enough to be told, and little enough for a run of twelve minutes. */
import type { Options } from "./options.ts";
import { chunksPerStream } from "./payload/words.ts";
import { translationWays } from "./sections/translation.ts";

/**
 * At full load. For streams few enough that no contender is at its limit: chunks that pile up are forwarded together,
 * which flatters.
 */
export const connections = 32;

export function throughput({ quick, rounds, seconds }: Options, answering: "json" | "stream" | "burst") {
  const unitsPerAnswer = answering === "stream" ? chunksPerStream : 1;
  return {
    answering,
    connections,
    unitsPerAnswer,
    rounds,
    seconds,
    warmUpAnswers: quick ? 0 : warmUpAnswers[answering],
  };
}

/** After so many answers the gateway's code is compiled for good: until then a request costs up to twice as much. */
const warmUpAnswers = { json: 40_000, stream: 2_000, burst: 5_000 };

export function memory({ quick }: Options) {
  return quick ? { streams: 200, seconds: 0.5 } : { streams: 2000, seconds: 5 };
}

export function latency({ quick, rounds, seconds }: Options) {
  return { rounds, seconds: quick ? seconds / 2 : seconds };
}

/** There are many ways, and a ratio of neighbours is steady: each load is shorter than elsewhere. */
export function translation({ quick, rounds, seconds }: Options) {
  const plan = { connections, rounds };
  if (quick) return { ...plan, ways: translationWays.slice(0, 2), seconds: 0.1, warmUpSeconds: 0 };
  return { ...plan, ways: translationWays, seconds: Math.min(seconds, 1.5), warmUpSeconds: 3 };
}

export function search({ quick, rounds, seconds }: Options) {
  const plan = { connections, rounds };
  return quick
    ? { ...plan, seconds: 0.1, warmUpSeconds: 0 }
    : { ...plan, seconds: Math.min(seconds, 2), warmUpSeconds: 8 };
}

export function routing({ quick, rounds, seconds }: Options) {
  const plan = { connections, rounds, seconds };
  if (quick) return { ...plan, seconds: 0.1, costTurns: 2, failingTurns: 1, planRounds: 2, planRequests: 100 };
  return { ...plan, costTurns: 6, failingTurns: 3, planRounds: 100, planRequests: 2000 };
}

export function loop({ quick, seconds }: Options) {
  return quick
    ? { connections, seconds: 0.5, warmUpSeconds: 0 }
    : { connections, seconds: seconds * 2, warmUpSeconds: 15 };
}

/** Nothing of it is collected: at 50 kB a request this many fill a gigabyte. */
export function allocation({ quick, rounds }: Options) {
  const plan = { connections, rounds };
  return quick ? { ...plan, warmUpRequests: 500, requests: 500 } : { ...plan, warmUpRequests: 10_000, requests: 3_000 };
}

export function attacks({ quick }: Options) {
  return quick ? { tries: 1, size: 0.02 } : { tries: 3, size: 1 };
}

/** Loads of which every answer is awaited. */
export function records({ quick }: Options) {
  return quick ? { connections, requests: 1000, streams: 20 } : { connections, requests: 20_000, streams: 200 };
}

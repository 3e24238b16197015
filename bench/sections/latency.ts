import type { ByContender, Contender } from "../contenders/contender.ts";
import type { Quantiles } from "../client/job.ts";
import { type LoadTools, runClient } from "../load.ts";
import { median } from "../results/statistics.ts";
import type { Answering } from "../payload/dialect.ts";

/** Milliseconds, medians of the rounds. `added` is against the direct way of the same round. */
export interface Latency {
  readonly measured: Quantiles;
  readonly added: Quantiles;
  /** How late the client sent: a p99 near the measured one says that the load tool was the bottleneck. */
  readonly sendDelay: Quantiles;
}

export interface LatencyPlan {
  readonly answering: Answering;
  /** Which instant ends the wait: a JSON answer's last byte, a stream's first chunk. */
  readonly until: "latency" | "firstChunk";
  /** Requests a second, the same for each contender. */
  readonly rate: number;
  readonly rounds: number;
  readonly seconds: number;
}

/** More than are ever in flight at half load; a contender that needs them all makes requests wait, and they count. */
const connectionLimit = 512;

interface Round {
  readonly measured: Quantiles;
  readonly direct: Quantiles;
  readonly sendDelay: Quantiles;
}

/** Sends at a fixed rate to the contenders in turn, round by round. The first of them must be the direct way. */
export async function measureLatency(
  tools: LoadTools,
  contenders: readonly Contender[],
  plan: LatencyPlan,
): Promise<ByContender<Latency>> {
  const measured = new Map<Contender, Round[]>(contenders.map((entry) => [entry, []]));
  for (let round = 0; round < plan.rounds; round++) {
    let direct: Quantiles | null = null;
    for (const [contender, rounds] of measured) {
      const mode = { kind: "open", seconds: plan.seconds, rate: plan.rate } as const;
      const job = { ...contender.call(plan.answering), connections: connectionLimit, mode };
      const outcome = await runClient(tools, job);
      contender.ledger?.add(outcome.answered, 0);
      direct ??= outcome[plan.until];
      rounds.push({ measured: outcome[plan.until], direct, sendDelay: outcome.sendDelay });
    }
  }
  return Object.fromEntries([...measured].map(([contender, rounds]) => [contender.name, summary(rounds)]));
}

function summary(rounds: readonly Round[]): Latency {
  const medians = (of: (round: Round, which: keyof Quantiles) => number): Quantiles => ({
    p50: median(rounds.map((round) => of(round, "p50"))),
    p99: median(rounds.map((round) => of(round, "p99"))),
  });
  return {
    measured: medians((round, which) => round.measured[which]),
    added: medians((round, which) => round.measured[which] - round.direct[which]),
    sendDelay: medians((round, which) => round.sendDelay[which]),
  };
}

import type { ByContender, Contender } from "../contenders/contender.ts";
import { fullLoad, type LoadTools } from "../load.ts";
import { median } from "../results/statistics.ts";
import type { Answering } from "../payload/dialect.ts";

/** The max rate of a contender, in one unit: requests or chunks. Medians of the rounds. */
export interface Throughput {
  readonly perSecond: number;
  /** CPU microseconds of the contender's process a unit; null for the direct way. */
  readonly cpuMicroseconds: number | null;
  /** As measured, round by round. */
  readonly rounds: readonly { readonly perSecond: number; readonly cpuMicroseconds: number | null }[];
}

export interface ThroughputPlan {
  readonly answering: Answering;
  readonly connections: number;
  /** Into how many units one answer counts: 1, or the chunks of a stream. */
  readonly unitsPerAnswer: number;
  readonly rounds: number;
  readonly seconds: number;
  /** Each contender gives so many answers before the first round. */
  readonly warmUpAnswers: number;
}

/** A contender that is slower than its bars by far is measured as it is after so long. */
const maxWarmUpRounds = 30;

/** Loads the contenders in turn, round by round, so that what disturbs the machine disturbs all of them. */
export async function measureThroughput(
  tools: LoadTools,
  contenders: readonly Contender[],
  plan: ThroughputPlan,
): Promise<ByContender<Throughput>> {
  const measured = new Map<Contender, Throughput["rounds"][number][]>(contenders.map((entry) => [entry, []]));
  for (const contender of contenders) await warmUp(tools, contender, plan);
  for (let round = 1; round <= plan.rounds; round++) {
    for (const [contender, rounds] of measured) {
      const load = await fullLoad(tools, contender, plan);
      contender.ledger?.add(load.answered, load.cut);
      rounds.push(perUnit(load, load.answered * plan.unitsPerAnswer));
    }
  }
  return Object.fromEntries([...measured].map(([contender, rounds]) => [contender.name, summary(rounds)]));
}

async function warmUp(tools: LoadTools, contender: Contender, plan: ThroughputPlan): Promise<void> {
  let answered = 0;
  for (let round = 0; round < maxWarmUpRounds && answered < plan.warmUpAnswers; round++) {
    const load = await fullLoad(tools, contender, { ...plan, seconds: 2 });
    contender.ledger?.add(load.answered, load.cut);
    answered += load.answered;
  }
}

function perUnit(load: { readonly seconds: number; readonly cpuMicroseconds: number | null }, units: number) {
  const cpu = load.cpuMicroseconds;
  return { perSecond: units / load.seconds, cpuMicroseconds: cpu === null ? null : cpu / units };
}

function summary(rounds: Throughput["rounds"]): Throughput {
  const cpu = rounds.flatMap((round) => (round.cpuMicroseconds === null ? [] : [round.cpuMicroseconds]));
  return {
    perSecond: median(rounds.map((round) => round.perSecond)),
    cpuMicroseconds: cpu.length === 0 ? null : median(cpu),
    rounds,
  };
}

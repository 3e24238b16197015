import { type LoadTools, runClient } from "../load.ts";
import type { Dialect } from "../payload/dialect.ts";
import { answerText, streamedTexts } from "../payload/words.ts";
import { cpuMicroseconds } from "../proc.ts";
import { median } from "../results/statistics.ts";
import { type RunningTollgate, tollgateCall, type TollgateSetup, type Way } from "../contenders/tollgate.ts";

/** From which callers to which providers. The first way of each caller is its pass-through. */
export const translationWays: readonly Way[] = [
  { caller: "openai-chat", provider: "openai-chat" },
  { caller: "openai-chat", provider: "anthropic-messages" },
  { caller: "openai-chat", provider: "openai-responses" },
  { caller: "openai-chat", provider: "gemini" },
  { caller: "anthropic-messages", provider: "anthropic-messages" },
  { caller: "anthropic-messages", provider: "openai-chat" },
  { caller: "openai-responses", provider: "openai-responses" },
  { caller: "openai-responses", provider: "openai-chat" },
  { caller: "gemini", provider: "gemini" },
  { caller: "gemini", provider: "openai-chat" },
];

/** CPU of the whole gateway process for one answer. */
export interface AnswerCost {
  /** Median of the rounds. */
  readonly cpuMicroseconds: number;
  /** Of the pass-through of the same caller in the same round, the median of that; null for the pass-through itself. */
  readonly ofPassThrough: number | null;
  /** Microseconds, round by round. */
  readonly rounds: readonly number[];
}

export interface WayCost {
  readonly caller: Dialect;
  readonly provider: Dialect;
  readonly json: AnswerCost;
  /** Of a whole stream. */
  readonly stream: AnswerCost;
}

export interface TranslationPlan {
  /** Those to be measured; all are checked. */
  readonly ways: readonly Way[];
  readonly connections: number;
  readonly rounds: number;
  /** Of each load; need not be whole. */
  readonly seconds: number;
  /** Of a round before the first, which is not counted; 0 for none. */
  readonly warmUpSeconds: number;
}

/** Takes the ways in turn, round by round, through one gateway. Throws if an answer does not say what it should. */
export async function measureTranslation(
  tools: LoadTools,
  gateway: RunningTollgate,
  plan: TranslationPlan,
): Promise<WayCost[]> {
  for (const way of translationWays) await checkAnswers(gateway, way);
  const json = await measureAnswers(tools, gateway, { ...plan, answering: "json" });
  const stream = await measureAnswers(tools, gateway, { ...plan, answering: "stream" });
  return plan.ways.map((way) => ({ ...way, json: costOf(way, json), stream: costOf(way, stream) }));
}

type Rounds = ReadonlyMap<Way, readonly number[]>;

async function measureAnswers(
  tools: LoadTools,
  { setup, pid, ledger }: RunningTollgate,
  plan: TranslationPlan & { readonly answering: "json" | "stream" },
): Promise<Rounds> {
  const measured = new Map<Way, number[]>(plan.ways.map((way) => [way, []]));
  for (let round = plan.warmUpSeconds > 0 ? 0 : 1; round <= plan.rounds; round++) {
    for (const [way, rounds] of measured) {
      const seconds = round === 0 ? plan.warmUpSeconds : plan.seconds;
      const mode = { kind: "closed", seconds, requests: Number.MAX_SAFE_INTEGER } as const;
      const before = cpuMicroseconds(pid);
      const call = tollgateCall(setup, plan.answering, way);
      const { answered } = await runClient(tools, { ...call, connections: plan.connections, mode });
      ledger.add(answered, 0);
      if (round > 0) rounds.push((cpuMicroseconds(pid) - before) / answered);
    }
  }
  return measured;
}

function costOf(way: Way, measured: Rounds): AnswerCost {
  const rounds = measured.get(way) ?? [];
  const passThrough = translationWays.find(({ caller }) => caller === way.caller) ?? way;
  const baseline = measured.get(passThrough) ?? [];
  const ratios = rounds.map((cost, round) => cost / (baseline[round] ?? Number.NaN));
  return {
    cpuMicroseconds: median(rounds),
    ofPassThrough: way === passThrough ? null : median(ratios),
    rounds,
  };
}

/** Every way must bring every word, whatever dialect it came in. */
async function checkAnswers({ setup, ledger }: RunningTollgate, way: Way): Promise<void> {
  const answer = await ask(setup, way, "json");
  if (!answer.includes(JSON.stringify(answerText)))
    throw new Error(`${wordsOf(way)} answered: ${answer.slice(0, 500)}`);
  const stream = await ask(setup, way, "stream");
  const missing = streamedTexts.filter((text) => !stream.includes(JSON.stringify(text)));
  if (missing.length > 0) throw new Error(`${wordsOf(way)} streamed: ${stream.slice(0, 500)}`);
  ledger.add(2, 0);
}

async function ask(setup: TollgateSetup, way: Way, answering: "json" | "stream"): Promise<string> {
  const { port, path, headers, body } = tollgateCall(setup, answering, way);
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", headers, body });
  const text = await response.text();
  if (!response.ok) throw new Error(`${wordsOf(way)} answered ${response.status}: ${text.slice(0, 500)}`);
  return text;
}

function wordsOf({ caller, provider }: Way): string {
  return `${caller} -> ${provider}`;
}

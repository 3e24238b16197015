import { join } from "node:path";
import type { ByContender, Contender } from "./contender.ts";
import { fullLoad, type LoadTools } from "./load.ts";
import type { Options, Section } from "./options.ts";
import { chunksPerStream } from "./payload/words.ts";
import { directContender, nginxContender } from "./plain-contenders.ts";
import { checkAnswers } from "./preflight.ts";
import { checkRecords, createLedger, type RequestLedger } from "./records.ts";
import type { Results } from "./results.ts";
import { measureLatency } from "./sections/latency.ts";
import { measureMemory, residentNow } from "./sections/memory.ts";
import { measureRouting } from "./sections/routing.ts";
import { measureStart } from "./sections/start.ts";
import { measureThroughput, type Throughput } from "./sections/throughput.ts";
import { measureTranslation, translationWays } from "./sections/translation.ts";
import { prepareTollgate, startTollgate } from "./tollgate.ts";
import type { Upstream } from "./upstream.ts";

const jsonConnections = 32;
/** Few enough that no contender is at its limit: chunks that pile up are forwarded together, which flatters. */
const streamConnections = 32;

/** Where, in the scratch folder, the measured Tollgate has its files. */
export function tollgateFolder(scratch: string): string {
  return join(scratch, "tollgate");
}

interface Stage {
  readonly options: Options;
  readonly tools: LoadTools;
  readonly contenders: readonly Contender[];
  readonly tollgate: Contender;
  readonly ledger: RequestLedger;
}

/** Starts the contenders and measures what the options ask for, telling `progress` what is under way. */
export async function measure(
  options: Options,
  tools: LoadTools,
  upstream: Upstream,
  setting: readonly string[],
  progress: (words: string) => void,
): Promise<Results> {
  const place = { upstream, pinning: tools.pinning };
  const setup = await prepareTollgate(options.launcher, { ...place, folder: tollgateFolder(tools.folder) });
  const tollgate = await startTollgate(setup);
  const { nginx } = tools.machine;
  const plain = nginx === null ? [] : [await nginxContender(nginx, { ...place, folder: tools.folder })];
  const contenders = [directContender(upstream), ...plain, tollgate];
  const stage: Stage = { options, tools, contenders, tollgate, ledger: createLedger() };
  const atStart = residentNow(contenders);
  await checkAnswers(contenders, stage.ledger);

  const asked = <Value>(section: Section, work: () => Promise<Value>) => {
    if (!options.only.has(section)) return null;
    progress(section);
    return work();
  };
  const startedAt = new Date().toISOString();
  const json = await asked("json", () => throughput(stage, "json"));
  const streams = await asked("streams", () => throughput(stage, "stream"));
  const latency = await asked("latency", () => latencies(stage, json, streams));
  const memory = await asked("memory", () => memories(stage, atStart, json !== null));
  const translation = await asked("translation", () =>
    measureTranslation(tools, { setup, pid: tollgate.pid }, translationPlan(options), stage.ledger),
  );
  const routing = await asked("routing", () => measureRouting(tools, options.launcher, upstream, routingPlan(options)));
  progress("records");
  const counted = { requests: options.quick ? 1000 : 20_000, streams: options.quick ? 20 : 200 };
  const plan = { ...counted, connections: jsonConnections };
  const records = await checkRecords(tools, tollgate, setup.databaseFile, plan, stage.ledger);
  const start = await asked("start", async () => {
    const another = await prepareTollgate(options.launcher, { ...place, folder: join(tools.folder, "start") });
    return measureStart(another, options.quick ? 2 : 7);
  });
  return {
    startedAt,
    quick: options.quick,
    setting,
    json,
    streams,
    latency,
    memory,
    translation,
    routing,
    start,
    records,
  };
}

function throughput(stage: Stage, answering: "json" | "stream"): Promise<ByContender<Throughput>> {
  const { options, tools, contenders, ledger } = stage;
  const plan = {
    answering,
    connections: answering === "json" ? jsonConnections : streamConnections,
    unitsPerAnswer: answering === "json" ? 1 : chunksPerStream,
    rounds: options.rounds,
    seconds: options.seconds,
    warmUpSeconds: options.quick ? 0 : 3,
  };
  return measureThroughput(tools, contenders, plan, ledger);
}

/** There are many ways, and a ratio of neighbours is steady: each load is shorter than elsewhere. */
function translationPlan({ quick, rounds, seconds }: Options) {
  const plan = { connections: streamConnections, rounds };
  if (quick) return { ...plan, ways: translationWays.slice(0, 2), seconds: 0.1, warmUpSeconds: 0 };
  return { ...plan, ways: translationWays, seconds: Math.min(seconds, 2), warmUpSeconds: 1 };
}

function routingPlan({ quick, rounds, seconds }: Options) {
  const plan = { connections: jsonConnections, rounds, seconds };
  if (quick) return { ...plan, seconds: 0.1, planRounds: 2, planRequests: 100 };
  return { ...plan, planRounds: 100, planRequests: 2000 };
}

/** At half of what Tollgate bore in this run; what was not measured yet is measured briefly for it. */
async function latencies(
  stage: Stage,
  json: ByContender<Throughput> | null,
  streams: ByContender<Throughput> | null,
): Promise<NonNullable<Results["latency"]>> {
  const { options, tools, contenders, ledger } = stage;
  const jsonMaximum = json?.tollgate?.perSecond ?? (await briefMaximum(stage, "json"));
  const streamMaximum = (streams?.tollgate?.perSecond ?? (await briefMaximum(stage, "stream"))) / chunksPerStream;
  const [jsonRate, streamRate] = [jsonMaximum / 2, streamMaximum / 2];
  const rounds = { rounds: options.rounds, seconds: options.seconds };
  const jsonPlan = { ...rounds, answering: "json", until: "latency", rate: jsonRate } as const;
  const streamPlan = { ...rounds, answering: "stream", until: "firstByte", rate: streamRate } as const;
  return {
    jsonRate,
    streamRate,
    json: await measureLatency(tools, contenders, jsonPlan, ledger),
    streams: await measureLatency(tools, contenders, streamPlan, ledger),
  };
}

async function briefMaximum(stage: Stage, answering: "json" | "stream"): Promise<number> {
  const { options, tools, tollgate, ledger } = stage;
  let perSecond = 0;
  for (const seconds of [options.quick ? 1 : 3, options.seconds]) {
    const load = await fullLoad(tools, tollgate, { answering, connections: jsonConnections, seconds });
    ledger.add(load.answered, load.cut);
    perSecond = load.answered / load.seconds;
  }
  return answering === "json" ? perSecond : perSecond * chunksPerStream;
}

async function memories(stage: Stage, atStart: ByContender<number>, loaded: boolean): Promise<Results["memory"]> {
  const { options, tools, contenders, ledger } = stage;
  for (const contender of loaded ? [] : contenders.filter(({ pid }) => pid !== null)) {
    const load = await fullLoad(tools, contender, { ...options, answering: "json", connections: jsonConnections });
    if (contender === stage.tollgate) ledger.add(load.answered, load.cut);
  }
  const plan = { streams: options.quick ? 200 : 2000, seconds: options.quick ? 1 : 5, atStart };
  return measureMemory(tools, contenders, plan, ledger);
}

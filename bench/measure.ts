import { join } from "node:path";
import type { ByContender, Contender } from "./contenders/contender.ts";
import { fullLoad, type LoadTools } from "./load.ts";
import type { Options, Section } from "./options.ts";
import { chunksPerStream } from "./payload/words.ts";
import { peerContender } from "./contenders/peer.ts";
import { directContender, nginxContender } from "./contenders/plain-contenders.ts";
import * as plans from "./plans.ts";
import { checkAnswers } from "./preflight.ts";
import { checkRecords, type RecordCheck } from "./records.ts";
import type { Results } from "./results/results.ts";
import { measureAllocation } from "./sections/allocation.ts";
import { measureAttacks } from "./sections/attacks.ts";
import { measureLatency } from "./sections/latency.ts";
import { measureLoop } from "./sections/loop.ts";
import { measureMemory, residentNow } from "./sections/memory.ts";
import { measureRouting } from "./sections/routing.ts";
import { measureSearch } from "./sections/search.ts";
import { measureStart, type Start } from "./sections/start.ts";
import { measureThroughput, type Throughput } from "./sections/throughput.ts";
import { measureTranslation } from "./sections/translation.ts";
import { prepareTollgate, type RunningTollgate, startTollgate } from "./contenders/tollgate.ts";
import type { Upstream } from "./upstream.ts";

/** The folder of the measured Tollgate, in the scratch folder. */
export function tollgateFolder(scratch: string): string {
  return join(scratch, "tollgate");
}

interface Stage {
  readonly options: Options;
  readonly tools: LoadTools;
  readonly upstream: Upstream;
  readonly contenders: readonly Contender[];
  /** The one that the bars are for. */
  readonly tollgate: RunningTollgate;
  /** It, and the one from before if there is one. */
  readonly tollgates: readonly RunningTollgate[];
}

/** Starts the contenders and measures what the options ask for, telling `progress` what is under way. */
export async function measure(
  options: Options,
  tools: LoadTools,
  upstream: Upstream,
  setting: readonly string[],
  progress: (words: string) => void,
): Promise<Results> {
  const stage = await prepareStage(options, tools, upstream);
  const { contenders, tollgate } = stage;
  const { launcher } = options;
  const atStart = residentNow(contenders);
  await checkAnswers(contenders);

  const asked = <Value>(section: Section, work: () => Promise<Value>) => {
    if (!options.only.has(section)) return null;
    progress(section);
    return work();
  };
  const startedAt = new Date().toISOString();
  const json = await asked("json", () => throughput(stage, "json"));
  const streams = await asked("streams", () => throughput(stage, "stream"));
  const burst = await asked("burst", () => throughput(stage, "burst"));
  const latency = await asked("latency", () => latencies(stage, json, streams));
  const memory = await asked("memory", () => memories(stage, atStart, json !== null));
  const translation = await asked("translation", () => measureTranslation(tools, tollgate, plans.translation(options)));
  const search = await asked("search", () => measureSearch(tools, tollgate, plans.search(options)));
  const routing = await asked("routing", () => measureRouting(tools, launcher, upstream, plans.routing(options)));
  const loop = await asked("loop", async () => ({
    holds: await measureLoop(tools, launcher, upstream, plans.loop(options)),
    allocation: await measureAllocation(tools, launcher, upstream, plans.allocation(options)),
  }));
  const attacks = await asked("attacks", () => measureAttacks(tools, launcher, upstream, plans.attacks(options)));
  progress("records");
  const records: ByContender<RecordCheck> = {};
  for (const each of stage.tollgates) {
    records[each.name] = await checkRecords(tools, each, each.setup.databaseFile, plans.records(options));
  }
  const start = await asked("start", () => starts(stage));
  return {
    startedAt,
    quick: options.quick,
    setting,
    json,
    streams,
    burst,
    latency,
    memory,
    translation,
    search,
    routing,
    loop,
    attacks,
    start,
    records,
  };
}

async function prepareStage(options: Options, tools: LoadTools, upstream: Upstream): Promise<Stage> {
  const place = { upstream, pinning: tools.pinning };
  const { nginx } = tools.machine;
  const tollgates: RunningTollgate[] = [];
  const launch = async (launcher: string, name: string, folder: string) => {
    const setup = await prepareTollgate(launcher, { ...place, folder });
    const started = await startTollgate(setup, name);
    tollgates.push(started);
    return started;
  };
  const tollgate = await launch(options.launcher, "tollgate", tollgateFolder(tools.folder));
  if (options.before !== null) await launch(options.before, "before", join(tools.folder, "before"));
  const plain = nginx === null ? [] : [await nginxContender(nginx, { ...place, folder: tools.folder })];
  const contenders = [directContender(upstream), ...plain, ...tollgates, ...options.peers.map(peerContender)];
  return { options, tools, upstream, contenders, tollgate, tollgates };
}

function throughput(stage: Stage, answering: "json" | "stream" | "burst"): Promise<ByContender<Throughput>> {
  return measureThroughput(stage.tools, stage.contenders, plans.throughput(stage.options, answering));
}

/** At half of what Tollgate bore in this run; what was not measured yet is measured briefly for it. */
async function latencies(
  stage: Stage,
  json: ByContender<Throughput> | null,
  streams: ByContender<Throughput> | null,
): Promise<NonNullable<Results["latency"]>> {
  const { options, tools, contenders } = stage;
  const jsonMaximum = json?.tollgate?.perSecond ?? (await briefMaximum(stage, "json"));
  const streamMaximum = (streams?.tollgate?.perSecond ?? (await briefMaximum(stage, "stream"))) / chunksPerStream;
  const [jsonRate, streamRate] = [jsonMaximum / 2, streamMaximum / 2];
  const rounds = plans.latency(options);
  const jsonPlan = { ...rounds, answering: "json", until: "latency", rate: jsonRate } as const;
  const streamPlan = { ...rounds, answering: "stream", until: "firstChunk", rate: streamRate } as const;
  return {
    jsonRate,
    streamRate,
    json: await measureLatency(tools, contenders, jsonPlan),
    streams: await measureLatency(tools, contenders, streamPlan),
  };
}

async function briefMaximum(stage: Stage, answering: "json" | "stream"): Promise<number> {
  const { options, tools, tollgate } = stage;
  let perSecond = 0;
  for (const seconds of [options.quick ? 1 : 3, options.seconds]) {
    const load = await fullLoad(tools, tollgate, { answering, connections: plans.connections, seconds });
    tollgate.ledger.add(load.answered, load.cut);
    perSecond = load.answered / load.seconds;
  }
  return answering === "json" ? perSecond : perSecond * chunksPerStream;
}

async function memories(stage: Stage, atStart: ByContender<number>, loaded: boolean): Promise<Results["memory"]> {
  const { options, tools, contenders } = stage;
  const { connections } = plans;
  for (const contender of loaded ? [] : contenders.filter(({ pid }) => pid !== null)) {
    const load = await fullLoad(tools, contender, { ...options, answering: "json", connections });
    contender.ledger?.add(load.answered, load.cut);
  }
  return measureMemory(tools, contenders, { ...plans.memory(options), atStart });
}

async function starts({ options, tools, upstream, tollgates }: Stage): Promise<ByContender<Start>> {
  const setups = new Map<string, RunningTollgate["setup"]>();
  for (const { name, setup } of tollgates) {
    const folder = join(tools.folder, `start-${name}`);
    setups.set(name, await prepareTollgate(setup.launcher, { upstream, pinning: tools.pinning, folder }));
  }
  return measureStart(setups, options.quick ? 2 : 7);
}

/**
 * What waiting jobs cost: submits many films to a provider that never finishes them, starts the gateway again, and measures its CPU
 * and memory while it polls them, against those of a gateway that has just started without jobs. SQLite, and all else as it is
 * by default.
 * Run it with `scripts/bun.sh bench/videos.ts [jobs] [seconds measured] [seconds waited before]`.
 */
import { join } from "node:path";
import { prepareTollgate, startTollgate } from "./contenders/tollgate.ts";
import { choosePinning, inspectMachine } from "./machine.ts";
import { cpuMicroseconds, residentMegabytes } from "./proc.ts";
import { cleanUp, cleanUpOnSignals, scratchFolder } from "./processes.ts";

const jobs = Number(process.argv[2] ?? 10_000);
const seconds = Number(process.argv[3] ?? 60);
const waitSeconds = Number(process.argv[4] ?? 30);
const callers = 16;

cleanUpOnSignals();
const pinning = choosePinning(inspectMachine());
const folder = scratchFolder();

let polls = 0;
let submits = 0;
const view = (id: string) => ({
  id,
  object: "video",
  status: "in_progress",
  progress: 10,
  created_at: Math.floor(Date.now() / 1_000),
  model: "film",
  seconds: "4",
  size: "1280x720",
});
const provider = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    const [, , , id] = new URL(request.url).pathname.split("/");
    if (id !== undefined) {
      polls += 1;
      return Response.json(view(id));
    }
    await request.arrayBuffer();
    return Response.json(view(`job_${(submits += 1)}`));
  },
});

const setup = await prepareTollgate(join(import.meta.dir, "../bin/tollgate"), {
  upstream: { port: provider.port ?? 0, words: "" },
  pinning,
  folder: join(folder, "tollgate"),
  configure: (port, databaseFile) => ({
    server: { host: "127.0.0.1", port },
    storage: { url: `sqlite:${databaseFile}` },
    media: { job_deadline: "24h" },
    providers: [
      { id: "up", dialect: "openai-chat", base_url: `http://127.0.0.1:${provider.port}/v1`, api_key: "sk-up" },
    ],
    models: [
      {
        id: "film",
        endpoints: ["videos"],
        targets: [{ provider: "up", model: "film" }],
        prices: { video_second: 0.1 },
      },
    ],
  }),
});
let gateway = await startTollgate(setup);

async function submit(number: number): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${setup.port}/v1/videos`, {
    method: "POST",
    headers: { authorization: `Bearer ${setup.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "film", prompt: `Film ${number}`, seconds: 4 }),
  });
  await answer.arrayBuffer();
  if (answer.status !== 200) throw new Error(`A submit was answered with ${answer.status}.`);
}

async function submitAll(from: number, to: number): Promise<void> {
  let next = from;
  const worker = async () => {
    while (next < to) await submit((next += 1));
  };
  await Promise.all(Array.from({ length: callers }, worker));
}

interface Measured {
  /** Share of one core. */
  readonly core: number;
  readonly megabytes: number;
  readonly pollsPerSecond: number;
}

async function measure(): Promise<Measured> {
  const [cpu, asked, started] = [cpuMicroseconds(gateway.pid), polls, performance.now()];
  await Bun.sleep(seconds * 1_000);
  const microseconds = (performance.now() - started) * 1_000;
  return {
    core: (cpuMicroseconds(gateway.pid) - cpu) / microseconds,
    megabytes: residentMegabytes(gateway.pid),
    pollsPerSecond: ((polls - asked) * 1_000_000) / microseconds,
  };
}

function show(what: string, { core, megabytes, pollsPerSecond }: Measured): void {
  const [cpu, memory] = [(core * 100).toFixed(2), megabytes.toFixed(0)];
  console.log(`${what.padEnd(14)} ${cpu} % of a core, ${memory} MB, ${pollsPerSecond.toFixed(1)} polls a second`);
}

try {
  console.log(`${pinning.words}; ${seconds} s measured`);
  await Bun.sleep(waitSeconds * 1_000);
  const idle = await measure();
  show("no job", idle);
  const started = performance.now();
  await submitAll(0, jobs);
  const took = (performance.now() - started) / 1_000;
  console.log(`${submits} submits in ${took.toFixed(0)} s, ${residentMegabytes(gateway.pid).toFixed(0)} MB after them`);
  await gateway.stop();
  gateway = await startTollgate(setup);
  await Bun.sleep(waitSeconds * 1_000);
  const busy = await measure();
  show(`${jobs} jobs`, busy);
  const more = { core: (busy.core - idle.core) * 100, megabytes: busy.megabytes - idle.megabytes };
  console.log(`beyond none    ${more.core.toFixed(2)} % of a core, ${more.megabytes.toFixed(0)} MB`);
} finally {
  await gateway.stop();
  await provider.stop(true);
  await cleanUp();
}

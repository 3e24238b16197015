/**
 * Speech beside nginx: an answer of 1 MB of sound, as fast as it is answered on a few connections, each gateway on the same
 * core, in turns. Prints answers a second and the CPU of one, and the ratio to nginx.
 * Run it with `scripts/bun.sh bench/speech.ts [seconds a turn] [rounds]`.
 */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { wavOf } from "../src/dialects/sound/wav-file.ts";
import type { Call } from "./contenders/contender.ts";
import { startNginx } from "./contenders/nginx.ts";
import { prepareTollgate, startTollgate } from "./contenders/tollgate.ts";
import { choosePinning, inspectMachine } from "./machine.ts";
import { cpuMicroseconds } from "./proc.ts";
import { scratchFolder, cleanUp } from "./processes.ts";
import { median } from "./results/statistics.ts";
import { runWrk } from "./wrk.ts";

const seconds = Number(process.argv[2] ?? 4);
const rounds = Number(process.argv[3] ?? 5);
const connections = 8;
const answerBytes = 1_000_000;

const machine = inspectMachine();
const { nginx, wrk } = machine;
if (nginx === null || wrk === null) throw new Error("This benchmark needs nginx and wrk.");
const pinning = choosePinning(machine);
const folder = scratchFolder();
// The worker of nginx is another user.
chmodSync(folder, 0o755);

const path = "/v1/audio/speech";
mkdirSync(join(folder, "files/v1/audio"), { recursive: true });
const form = { hertz: 24_000, channels: 1, bitsPerSample: 16 };
writeFileSync(join(folder, "files", path), wavOf(Buffer.alloc(answerBytes, 7), form));
const upstream = await startNginx({
  program: nginx,
  place: pinning.load,
  folder: join(folder, "upstream"),
  // A file is not for POST, unless what is then wrong is the file.
  server: `root ${join(folder, "files")}; default_type audio/wav; error_page 405 =200 $uri;`,
});
const proxy = await startNginx({
  program: nginx,
  place: pinning.gateway,
  folder: join(folder, "nginx"),
  http: `upstream bench { server 127.0.0.1:${upstream.port}; keepalive 256; keepalive_requests 1000000000; }`,
  server: `location / { proxy_pass http://bench; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off; }`,
});
const setup = await prepareTollgate(join(import.meta.dir, "../bin/tollgate"), {
  upstream: { port: upstream.port, words: "" },
  pinning,
  folder: join(folder, "tollgate"),
  configure: (port, databaseFile) => ({
    server: { host: "127.0.0.1", port },
    storage: { url: `sqlite:${databaseFile}` },
    providers: [
      { id: "up", dialect: "openai-chat", base_url: `http://127.0.0.1:${upstream.port}/v1`, api_key: "sk-up" },
    ],
    models: [
      {
        id: "speech",
        endpoints: ["audio_speech"],
        targets: [{ provider: "up", model: "speech" }],
        prices: { character: 15 },
      },
    ],
  }),
});
const gateway = await startTollgate(setup);

const body = JSON.stringify({ model: "speech", voice: "alloy", input: "word ".repeat(200), response_format: "wav" });
const callAt = (port: number): Call => ({
  port,
  path,
  headers: { authorization: `Bearer ${setup.key}`, "content-type": "application/json" },
  body,
});
const contenders = [
  { name: "nginx", pid: proxy.pid, call: callAt(proxy.port) },
  { name: "tollgate", pid: gateway.pid, call: callAt(setup.port) },
];
const measured = contenders.map((contender) => ({ ...contender, perSecond: [] as number[], cpu: [] as number[] }));
try {
  // The first round warms up.
  for (let round = 0; round <= rounds; round++) {
    for (const each of measured) {
      const before = cpuMicroseconds(each.pid);
      const load = await runWrk([...pinning.load, wrk], each.call, { connections, seconds, folder });
      if (round === 0) continue;
      each.perSecond.push(load.answered / load.seconds);
      each.cpu.push((cpuMicroseconds(each.pid) - before) / load.answered);
    }
  }
} finally {
  await gateway.stop();
  await cleanUp();
}
console.log(`${pinning.words}; ${connections} connections, ${rounds} rounds of ${seconds} s`);
for (const { name, perSecond, cpu } of measured) {
  console.log(
    `${name.padEnd(9)} ${median(perSecond).toFixed(0)} answers a second, ${median(cpu).toFixed(0)} µs of CPU each`,
  );
}
const [base, own] = measured;
if (base && own) {
  console.log(`throughput ${(median(own.perSecond) / median(base.perSecond)).toFixed(2)} of nginx's`);
  console.log(`CPU        ${(median(own.cpu) / median(base.cpu)).toFixed(2)} times nginx's`);
}

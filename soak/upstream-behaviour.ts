import type { Script } from "../src/sandbox/server.ts";
import type { SeededRandom } from "./seeded-random.ts";
import { flakyUpstreams, steadyUpstreams, wellScript } from "./world.ts";

type Fault = NonNullable<Script["fault"]>;

const statuses = [400, 401, 402, 403, 404, 408, 409, 413, 422, 429, 500, 502, 503, 504, 529];

/** Every way in which an upstream can fail. */
const faults: readonly Fault[] = [
  ...statuses.map((status): Fault => ({ kind: "status", status })),
  { kind: "status", status: 429, headers: { "retry-after": "1" } },
  { kind: "status", status: 503, headers: { "retry-after-ms": "300" } },
  { kind: "html" },
  { kind: "empty_body" },
  { kind: "error_body" },
  { kind: "malformed_json" },
  { kind: "malformed_json", after: 3 },
  { kind: "truncated_json" },
  { kind: "truncated_json", after: 3 },
  { kind: "error_first" },
  { kind: "error_event", after: 3 },
  { kind: "cut" },
  { kind: "cut", after: 4 },
  { kind: "reset" },
  { kind: "reset", after: 3 },
  { kind: "end", after: 3 },
  { kind: "stall", at: "headers" },
  { kind: "stall", at: "first_byte" },
  { kind: "stall", at: "body", after: 3 },
  { kind: "slow_headers", delay_ms: 40 },
  { kind: "content_type" },
  { kind: "close" },
  // These are expensive for the machine, so there are few of them.
  { kind: "huge_frame", megabytes: 2, times: 3 },
  { kind: "garbage", times: 2 },
];

/** How an upstream behaves until the next change: well, slow, failing always, or failing a few times. */
export function drawScript(random: SeededRandom): Script {
  const kind = random.next();
  if (kind < 0.3) return wellScript;
  if (kind < 0.4)
    return { ...wellScript, latency_ms: random.between(100, 900), chunk_delay_ms: random.between(5, 100) };
  const fault = random.one(faults);
  if (kind < 0.7 || "times" in fault) return { ...wellScript, fault };
  return { ...wellScript, fault: { ...fault, times: random.between(1, 20) } };
}

/** Makes every upstream well again. */
export async function restoreAll(upstreamUrl: string): Promise<void> {
  for (const model of [...flakyUpstreams, ...steadyUpstreams]) await setScript(upstreamUrl, model, wellScript);
}

/** Changes how the flaky upstreams behave, one every few hundred milliseconds, until it is told to stop. */
export async function changeBehaviour(upstreamUrl: string, random: SeededRandom, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    await setScript(upstreamUrl, random.one(flakyUpstreams), drawScript(random));
    if (random.chance(0.1)) await steer(upstreamUrl, "POST", "refuse", { connections: random.between(1, 10) });
    await Bun.sleep(random.between(100, 600));
  }
}

export function setScript(upstreamUrl: string, model: string, script: Script): Promise<void> {
  return steer(upstreamUrl, "PUT", `models/${model}`, script);
}

const maxTries = 50;

/** The upstream refuses connections at times, these too. */
async function steer(upstreamUrl: string, method: string, path: string, body: object): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      const response = await fetch(`${upstreamUrl}/_sandbox/${path}`, { method, body: JSON.stringify(body) });
      const text = await response.text();
      if (!response.ok) throw new Error(`the sandbox takes no ${method} ${path}: ${text}`);
      return;
    } catch (error) {
      if (tries >= maxTries || (error instanceof Error && error.message.startsWith("the sandbox"))) throw error;
      await Bun.sleep(20);
    }
  }
}

import { answerModel } from "../payload/words.ts";
import { upstreamPrefix } from "../upstream.ts";

/** The strategies that are measured, each as a policy over three targets. */
export const strategies = [
  "priority",
  "weighted",
  "round_robin",
  "lowest_latency",
  "lowest_cost",
  "least_busy",
] as const;

export type Strategy = (typeof strategies)[number];

/** The addresses of a Tollgate with policies and of its upstreams. */
export interface Places {
  readonly port: number;
  readonly databaseFile: string;
  /** Answers well. */
  readonly upstreamPort: number;
  /** Refuses connections. */
  readonly deadPort: number;
  /** Takes connections, and never answers. */
  readonly stallingPort: number;
}

/** How long a silent target is waited for, and how long it rests then. */
export const stall = { firstByteMs: 500, openMs: 2_000 };

/** The defect of a policy's first target. */
export type TargetFault = "healthy" | "dead" | "stalling";

/** The strategies that are measured with a target that fails: it is asked first, or when its turn comes. */
export const failingStrategies = ["priority", "round_robin"] as const;
export type FailingStrategy = (typeof failingStrategies)[number];

/** Three healthy targets, one that is dead, one that stalls; policies over three of them. */
export function routingConfiguration(places: Places): object {
  const { port, databaseFile, upstreamPort, deadPort, stallingPort } = places;
  const addresses = { a: upstreamPort, b: upstreamPort, c: upstreamPort, dead: deadPort, stalling: stallingPort };
  const names = Object.keys(addresses);
  return {
    server: { host: "127.0.0.1", port },
    storage: { url: `sqlite:${databaseFile}` },
    providers: Object.entries(addresses).map(([name, at]) => ({
      id: `routing-${name}`,
      dialect: "openai-chat",
      base_url: `http://127.0.0.1:${at}${upstreamPrefix("openai-chat", "json")}/v1`,
      api_key: "sk-bench-upstream",
      ...(name === "stalling"
        ? { timeouts: { first_byte_ms: stall.firstByteMs }, circuit: { open_ms: stall.openMs } }
        : {}),
    })),
    models: names.map((name) => ({
      id: `routing-${name}`,
      targets: [{ provider: `routing-${name}`, model: answerModel }],
      prices: { input: 0.25, cache_read: 0.025, output: 2 },
    })),
    routes: [
      ...strategies.map((strategy) => policy("healthy", strategy, ["a", "b", "c"])),
      ...failingStrategies.flatMap((strategy) => [
        policy("dead", strategy, ["dead", "b", "c"]),
        policy("stalling", strategy, ["stalling", "b", "c"]),
      ]),
    ],
  };
}

function policy(fault: TargetFault, strategy: string, names: readonly string[]): object {
  return { id: `${fault}-${strategy}`, strategy, targets: names.map((name) => `routing-${name}`) };
}

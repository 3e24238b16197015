import { type RunningTollgate, tollgateCall } from "../contenders/tollgate.ts";
import type { Call } from "../contenders/contender.ts";
import { type LoadTools, runClient } from "../load.ts";
import { searchBody, type SearchProviderName, searchProviders } from "../payload/search.ts";
import { cpuMicroseconds } from "../proc.ts";
import { median } from "../results/statistics.ts";

/** CPU of the whole gateway process for one search with ten results. */
export interface SearchCost {
  readonly provider: SearchProviderName;
  /** Median of the rounds. */
  readonly cpuMicroseconds: number;
  /** More than a chat request whose answer is JSON, in the same round; the median of that. */
  readonly added: number;
}

export interface SearchPlan {
  readonly connections: number;
  readonly rounds: number;
  /** Of each load; need not be whole. */
  readonly seconds: number;
  /** Of a round before the first, which is not counted; 0 for none. */
  readonly warmUpSeconds: number;
}

/** Takes a chat request and a search over each provider in turn, round by round. Throws if an answer has not ten results. */
export async function measureSearch(
  tools: LoadTools,
  gateway: RunningTollgate,
  plan: SearchPlan,
): Promise<SearchCost[]> {
  const { pid, setup, ledger } = gateway;
  const calls = searchProviders.map((provider) => [provider, searchCall(gateway, provider)] as const);
  for (const [provider, call] of calls) await checkAnswer(gateway, provider, call);
  const costOf = async (call: Call, seconds: number) => {
    const before = cpuMicroseconds(pid);
    const mode = { kind: "closed", seconds, requests: Number.MAX_SAFE_INTEGER } as const;
    const { answered } = await runClient(tools, { ...call, connections: plan.connections, mode });
    ledger.add(answered, 0);
    return (cpuMicroseconds(pid) - before) / answered;
  };
  const chat = tollgateCall(setup, "json");
  const costs = new Map(
    searchProviders.map((provider) => [provider, { whole: [] as number[], added: [] as number[] }]),
  );
  for (let round = plan.warmUpSeconds > 0 ? 0 : 1; round <= plan.rounds; round++) {
    const seconds = round === 0 ? plan.warmUpSeconds : plan.seconds;
    const ofChat = await costOf(chat, seconds);
    for (const [provider, call] of calls) {
      const cost = await costOf(call, seconds);
      if (round === 0) continue;
      costs.get(provider)?.whole.push(cost);
      costs.get(provider)?.added.push(cost - ofChat);
    }
  }
  return [...costs].map(([provider, { whole, added }]) => ({
    provider,
    cpuMicroseconds: median(whole),
    added: median(added),
  }));
}

function searchCall({ setup: { port, key } }: RunningTollgate, provider: SearchProviderName): Call {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  return { port, path: "/v1/search", headers, body: searchBody(provider) };
}

async function checkAnswer({ ledger }: RunningTollgate, provider: SearchProviderName, call: Call): Promise<void> {
  const { port, path, headers, body } = call;
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", headers, body });
  const text = await response.text();
  const { results } = (response.ok ? JSON.parse(text) : {}) as { readonly results?: readonly unknown[] };
  if (results?.length !== 10) throw new Error(`a search over ${provider} answered: ${text.slice(0, 500)}`);
  ledger.add(1, 0);
}

import type { Config } from "../config/config.ts";
import { sandboxProviderId } from "../config/defaults.ts";
import { dialects } from "../dialects/registry.ts";
import { createHttpClient } from "../upstream/http/client.ts";
import { checkProvider, type Finding } from "./check-provider.ts";

/** The result of checking one provider. */
export interface ProviderReport {
  readonly provider: string;
  readonly findings: readonly Finding[];
}

/** Providers asked at the same time. */
const maxAtOnce = 8;

/** Asks all providers but the built-in sandbox, several at a time. The reports are in the order of the configuration. */
export async function checkProviders(config: Config, spend: boolean): Promise<ProviderReport[]> {
  const client = createHttpClient();
  const options = { tools: { client, now: () => performance.now() }, dialects, spend };
  const providers = config.providers.filter(({ id }) => !(config.usesSandbox && id === sandboxProviderId));
  const reports: ProviderReport[] = [];
  const waiting = [...providers.entries()];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [place, provider] = next;
      const findings = await checkProvider(provider, config.models, options).catch(unexpected);
      reports[place] = { provider: provider.id, findings };
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(maxAtOnce, providers.length) }, work));
  } finally {
    client.close();
  }
  return reports;
}

/** Such as a header that HTTP does not allow. */
function unexpected(error: unknown): Finding[] {
  return [{ level: "problem", text: `cannot be called: ${error instanceof Error ? error.message : String(error)}` }];
}

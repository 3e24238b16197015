import type { Config } from "./config.ts";
import { sandboxProviderId } from "./defaults.ts";

/** Settings that are valid but probably not intended, each as a text that ends with the setting to paste. */
export function cautionsOf({ providers, models, usesSandbox }: Pick<Config, "providers" | "models" | "usesSandbox">) {
  const used = new Set(models.flatMap(({ targets }) => targets.map(({ provider }) => provider)));
  const idle = providers.filter(({ id }) => !used.has(id) && !(usesSandbox && id === sandboxProviderId));
  const untold = providers.filter(({ webhook }) => webhook?.url === null);
  return [
    ...idle.map(({ id }) => {
      const line = `- { id: "${id}/*", targets: [{ provider: ${id}, model: "*" }] }`;
      return `no model is served by the provider '${id}'. To serve all of its models, add under 'models': ${line}`;
    }),
    ...untold.map(({ id, dialects }) => {
      const address = dialects.includes("replicate") ? "an https: address" : "an address";
      return `the provider '${id}' has a 'webhook_secret', and is told of no address for its webhooks: its jobs are polled only. If the gateway has ${address}, set under 'server': public_url: https://gateway.example`;
    }),
  ];
}

import type { Provider } from "./provider.ts";

/** Names of headers whose values are credentials. */
const secretHeader = /auth|key|token|secret|cookie|password/i;

/** The credentials of a provider: its keys, those in its headers, with and without their scheme, and the secret of its webhooks. */
export function secretsOf({ apiKeys, headers, webhook }: Provider): readonly string[] {
  const inHeaders = Object.entries(headers)
    .filter(([name]) => secretHeader.test(name))
    .flatMap(([, value]) => [value, value.replace(/^\w+\s+/, "")]);
  return [...apiKeys, ...inHeaders, ...(webhook ? [webhook.secret] : [])];
}

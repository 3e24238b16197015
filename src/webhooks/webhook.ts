import { createHmac } from "node:crypto";

/** An address that is told of events. */
export interface Webhook {
  /** The account whose events it is told of; null for all accounts. */
  readonly accountId: string | null;
  readonly url: string;
  /** Signs the events. Never logged. */
  readonly secret: string;
  /** Kinds of events, such as `usage.unpriced`; `usage.*` for all that begin so; null for all. */
  readonly events: readonly string[] | null;
  /** Whether the address may be a private one. */
  readonly allowPrivate: boolean;
}

/** Whether a webhook is told of an event. */
export function wants({ accountId, events }: Webhook, event: { readonly accountId: string; readonly kind: string }) {
  if (accountId !== null && accountId !== event.accountId) return false;
  return events === null || events.some((pattern) => matches(pattern, event.kind));
}

function matches(pattern: string, kind: string): boolean {
  return pattern.endsWith("*") ? kind.startsWith(pattern.slice(0, -1)) : pattern === kind;
}

/** The key under which the outbox remembers that a webhook has an event. Another secret makes no other webhook. */
export function webhookKey({ accountId, url }: Webhook): string {
  return new Bun.CryptoHasher("sha256")
    .update(`${accountId ?? ""}\n${url}`)
    .digest("hex")
    .slice(0, 16);
}

/** The form of a secret of Standard Webhooks. */
const encodedSecret = /^whsec_([A-Za-z0-9+/]+={0,2})$/;

/**
 * The headers of one attempt, by the specification of Standard Webhooks: the id is the same at every attempt, the
 * timestamp is that of the attempt, in Unix seconds.
 */
export function signedHeaders(
  secret: string,
  id: string,
  timestamp: number,
  body: string,
): Readonly<Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string>> {
  const [, encoded] = encodedSecret.exec(secret) ?? [];
  const key = encoded === undefined ? Buffer.from(secret) : Buffer.from(encoded, "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": String(timestamp), "webhook-signature": `v1,${signature}` };
}

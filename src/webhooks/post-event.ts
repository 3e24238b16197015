import { AddressRefused, type Lookup, lookUpHost, pinUrl } from "../upstream/address-guard-pin.ts";
import type { OutboxEvent } from "./outbox.ts";
import { signedHeaders, type Webhook } from "./webhook.ts";

export interface PostOptions {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** For the whole attempt. */
  readonly timeoutMs: number;
  /** Breaks the attempt off. */
  readonly stopping: AbortSignal;
  /** The system's resolver if not given. */
  readonly lookup?: Lookup;
}

export interface PostResult {
  /** Null if the event was taken, which any status of 2xx says. Holds no secret. */
  readonly problem: string | null;
  readonly timedOut: boolean;
}

/** Posts an event to a webhook. Redirects are not followed, and the answer's body is not read. Never rejects. */
export async function postEvent(webhook: Webhook, event: OutboxEvent, options: PostOptions): Promise<PostResult> {
  const late = AbortSignal.timeout(options.timeoutMs);
  const over = AbortSignal.any([late, options.stopping]);
  // Names are resolved without a signal, so that wait is raced.
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const onOver = () => reject(over.reason);
  over.addEventListener("abort", onOver, { once: true });
  try {
    const status = await Promise.race([send(webhook, event, options, over), tooLate]);
    return { problem: status >= 200 && status < 300 ? null : `it answered with HTTP ${status}`, timedOut: false };
  } catch (error) {
    if (error instanceof AddressRefused) return { problem: error.message, timedOut: false };
    const problem = late.aborted ? `it took longer than ${options.timeoutMs} ms` : "it could not be reached";
    return { problem, timedOut: late.aborted };
  } finally {
    over.removeEventListener("abort", onOver);
  }
}

async function send(
  { url: address, secret, allowPrivate }: Webhook,
  event: OutboxEvent,
  { now, lookup = lookUpHost }: PostOptions,
  signal: AbortSignal,
): Promise<number> {
  const url = new URL(address);
  const allowHosts = new Set(allowPrivate ? [url.hostname.replace(/^\[|\]$/g, "")] : []);
  const { connectTo, host, serverName } = await pinUrl(url, { allowHosts, lookup });
  signal.throwIfAborted();
  const body = bodyOf(event);
  const response = await fetch(connectTo, {
    method: "POST",
    headers: {
      host,
      "content-type": "application/json",
      "user-agent": "tollgate",
      ...signedHeaders(secret, event.id, Math.floor(now / 1000), body),
    },
    body,
    redirect: "manual",
    // A connection made for one name must not serve another one at the same address.
    keepalive: false,
    decompress: false,
    signal,
    ...(serverName === null ? {} : { tls: { serverName } }),
  });
  await response.body?.cancel();
  return response.status;
}

/** The same text at every attempt. The payload is JSON already. */
function bodyOf({ kind, createdAt, payload }: OutboxEvent): string {
  return `{"type":${JSON.stringify(kind)},"timestamp":"${new Date(createdAt).toISOString()}","data":${payload}}`;
}

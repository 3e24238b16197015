import type { Asking } from "./dialects.ts";
import type { Ledger, Sighting } from "./ledger.ts";
import { readAnswer } from "./read-answer.ts";

/** How a caller sends one request and reads its answer. */
export interface Manner {
  readonly headers?: Readonly<Record<string, string>>;
  /** The caller leaves after this many milliseconds, however far the answer has come. */
  readonly leaveAfterMs?: number;
  /** The caller leaves when it has read the first piece of the answer. */
  readonly leaveWithin?: boolean;
  /** Between two pieces of a stream. */
  readonly readPauseMs?: number;
}

/** The caller, the gateway, and the ledger that takes what came back. */
export interface Desk {
  readonly gatewayUrl: string;
  readonly keyName: string;
  readonly ledger: Ledger;
}

/** The answer, and which parts of it need not be remembered. */
export interface Seen extends Sighting {
  readonly body: string;
  /** Of the key's minute; null if it has no such limit. */
  readonly requestsLeft: number | null;
}

/** No request may take longer than this, whatever happens to it. */
const maxMs = 60_000;

/** Sends one request and books its outcome. Null if the caller left before it saw anything, or it went wrong. */
export async function exchange(desk: Desk, asking: Asking, manner: Manner = {}): Promise<Seen | null> {
  const { ledger, keyName } = desk;
  const leaving = new AbortController();
  const isLeaver = manner.leaveAfterMs !== undefined || manner.leaveWithin === true;
  const clock = manner.leaveAfterMs === undefined ? null : setTimeout(() => leaving.abort(), manner.leaveAfterMs);
  const signal = AbortSignal.any([leaving.signal, AbortSignal.timeout(maxMs)]);
  let head: Pick<Sighting, "id" | "keyName" | "status" | "attempts" | "isReplay"> | null = null;
  try {
    const response = await fetch(desk.gatewayUrl + asking.path, {
      method: "POST",
      headers: { ...asking.headers, ...manner.headers },
      body: asking.body,
      signal,
    });
    const { headers, status } = response;
    head = {
      id: headers.get("x-service-request-id") ?? "",
      keyName,
      status,
      attempts: Number(headers.get("x-service-attempts") ?? 0),
      isReplay: headers.get("idempotent-replayed") === "true",
    };
    if (head.id === "") ledger.incident(`an answer without an id: ${status} on ${asking.path}`);
    const isStream = headers.get("content-type")?.startsWith("text/event-stream") === true;
    const body = await read(response, manner, leaving);
    const left = headers.get("x-ratelimit-remaining-requests");
    const requestsLeft = left === null ? null : Number(left);
    const seen = { ...head, ...judge(body, status, isStream), body, requestsLeft };
    if (leaving.signal.aborted) return enter(ledger, { ...seen, ending: "left" });
    if (seen.ending === "torn") ledger.incident(`${seen.id} (${asking.path}) ended in: ${body.slice(-200)}`);
    return enter(ledger, seen);
  } catch (error) {
    if (leaving.signal.aborted && isLeaver) {
      if (head) ledger.saw({ ...head, code: null, ending: "left", usage: null });
      else ledger.left();
    } else if (head) {
      ledger.incident(`${head.id} (${asking.path}) broke off: ${String(error)}`);
      ledger.saw({ ...head, code: null, ending: "torn", usage: null });
    } else ledger.incident(`no answer on ${asking.path}: ${String(error)}`);
    return null;
  } finally {
    if (clock) clearTimeout(clock);
  }
}

function enter(ledger: Ledger, seen: Seen): Seen {
  const { body: _, requestsLeft: __, ...sighting } = seen;
  ledger.saw(sighting);
  return seen;
}

function judge(body: string, status: number, isStream: boolean): Pick<Sighting, "code" | "ending" | "usage"> {
  if (status === 200) return { code: null, ...readAnswer(body, isStream) };
  // Some vendors' envelopes have no room for a code.
  const isFull = body.includes("The gateway holds as many");
  const code = /"code":\s*"([a-z_]+)"/.exec(body)?.[1] ?? null;
  return { code: isFull ? "overloaded" : code, ending: "refused", usage: null };
}

async function read(response: Response, manner: Manner, leaving: AbortController): Promise<string> {
  const { readPauseMs, leaveWithin } = manner;
  if (!response.body || (readPauseMs === undefined && leaveWithin !== true)) return response.text();
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of response.body) {
    text += decoder.decode(piece, { stream: true });
    if (leaveWithin === true) {
      leaving.abort();
      return text;
    }
    await Bun.sleep(readPauseMs ?? 0);
  }
  return text;
}

import type { CallerRequest } from "./dialects.ts";
import type { Ledger, Observation } from "./ledger.ts";
import { readAnswer } from "./read-answer.ts";

/** The behaviour of a caller for one request. */
export interface Behaviour {
  readonly headers?: Readonly<Record<string, string>>;
  /** The caller disconnects after this many milliseconds. */
  readonly leaveAfterMs?: number;
  /** The caller disconnects after the first chunk of the answer. */
  readonly leaveWithin?: boolean;
  /** Pause between two chunks of a stream. */
  readonly readPauseMs?: number;
}

/** A client of the gateway. */
export interface Client {
  readonly gatewayUrl: string;
  readonly keyName: string;
  readonly ledger: Ledger;
}

/** The outcome of a request, with data that is not kept. */
export interface Outcome extends Observation {
  readonly body: string;
  /** The remaining requests of the key; null without such a limit. */
  readonly requestsLeft: number | null;
}

/** Maximum duration of a request. */
const maxMs = 60_000;

/** Sends one request and records the outcome. Null if the caller disconnected before the headers, or it failed. */
export async function exchange(
  client: Client,
  request: CallerRequest,
  behaviour: Behaviour = {},
): Promise<Outcome | null> {
  const { ledger, keyName } = client;
  const leaving = new AbortController();
  const isLeaver = behaviour.leaveAfterMs !== undefined || behaviour.leaveWithin === true;
  const clock = behaviour.leaveAfterMs === undefined ? null : setTimeout(() => leaving.abort(), behaviour.leaveAfterMs);
  const signal = AbortSignal.any([leaving.signal, AbortSignal.timeout(maxMs)]);
  let head: Pick<Observation, "id" | "keyName" | "status" | "attempts" | "isReplay"> | null = null;
  try {
    const response = await fetch(client.gatewayUrl + request.path, {
      method: "POST",
      headers: { ...request.headers, ...behaviour.headers },
      body: request.body,
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
    if (head.id === "") ledger.fail(`an answer without an id: ${status} on ${request.path}`);
    const isStream = headers.get("content-type")?.startsWith("text/event-stream") === true;
    const body = await read(response, behaviour, leaving);
    const left = headers.get("x-ratelimit-remaining-requests");
    const requestsLeft = left === null ? null : Number(left);
    const seen = { ...head, ...judge(body, status, isStream), body, requestsLeft };
    if (leaving.signal.aborted) return record(ledger, { ...seen, ending: "left" });
    if (seen.ending === "torn") ledger.fail(`${seen.id} (${request.path}) ended in: ${body.slice(-200)}`);
    return record(ledger, seen);
  } catch (error) {
    if (leaving.signal.aborted && isLeaver) {
      if (head) ledger.saw({ ...head, code: null, ending: "left", usage: null });
      else ledger.left();
    } else if (head) {
      ledger.fail(`${head.id} (${request.path}) broke off: ${String(error)}`);
      ledger.saw({ ...head, code: null, ending: "torn", usage: null });
    } else ledger.fail(`no answer on ${request.path}: ${String(error)}`);
    return null;
  } finally {
    if (clock) clearTimeout(clock);
  }
}

function record(ledger: Ledger, seen: Outcome): Outcome {
  const { body: _, requestsLeft: __, ...observation } = seen;
  ledger.saw(observation);
  return seen;
}

function judge(body: string, status: number, isStream: boolean): Pick<Observation, "code" | "ending" | "usage"> {
  if (status === 200) return { code: null, ...readAnswer(body, isStream) };
  // Some vendors' error formats have no code.
  const isFull = body.includes("The gateway holds as many");
  const code = /"code":\s*"([a-z_]+)"/.exec(body)?.[1] ?? null;
  return { code: isFull ? "overloaded" : code, ending: "refused", usage: null };
}

async function read(response: Response, behaviour: Behaviour, leaving: AbortController): Promise<string> {
  const { readPauseMs, leaveWithin } = behaviour;
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

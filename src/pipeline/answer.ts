import type { ServerExchange } from "../server/exchange.ts";

/** An answer in one piece. */
export interface Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array | null;
}

/** An answer of JSON. */
export function jsonAnswer(body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers: { ...headers, "content-type": "application/json" }, body: JSON.stringify(body) };
}

export function sendAnswer(exchange: ServerExchange, { status, headers, body }: Answer): void {
  exchange.respond(status, headers, body);
}

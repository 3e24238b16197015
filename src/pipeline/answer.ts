import type { ServerExchange } from "../server/exchange.ts";

/** An answer in one piece, or in pieces that are made as the caller reads. */
export interface Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array | null;
  /** Instead of a body: pieces that are asked for once the caller has room. Chunked unless the headers have their `content-length`. */
  readonly pieces?: AsyncIterable<string | Uint8Array>;
  /** Called once the pieces have been sent, or will not be. */
  readonly onSent?: () => void;
}

/** An answer of JSON. */
export function jsonAnswer(body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers: { ...headers, "content-type": "application/json" }, body: JSON.stringify(body) };
}

export function sendAnswer(exchange: ServerExchange, answer: Answer): void | Promise<void> {
  const { status, headers, body, pieces, onSent } = answer;
  const hasLength = headers["content-length"] !== undefined;
  if (pieces !== undefined && (hasLength || exchange.method !== "HEAD")) {
    return sendPieces(exchange, status, headers, pieces).finally(onSent);
  }
  exchange.respond(status, headers, body);
}

/** If a piece cannot be made the connection is broken, so that the caller sees that the answer is not whole. */
async function sendPieces(
  exchange: ServerExchange,
  status: number,
  headers: Answer["headers"],
  pieces: AsyncIterable<string | Uint8Array>,
): Promise<void> {
  let resume: (() => void) | null = null;
  const wake = () => resume?.();
  exchange.onDrain = wake;
  exchange.onClose = wake;
  exchange.limitReader();
  exchange.startStream(status, headers);
  if (exchange.method === "HEAD") {
    exchange.end();
    return;
  }
  for await (const piece of pieces) {
    if (exchange.isClosed) return;
    const hasRoom = exchange.write(typeof piece === "string" ? Buffer.from(piece) : piece);
    if (hasRoom || exchange.isClosed) continue;
    await new Promise<void>((resolve) => (resume = resolve));
    resume = null;
  }
  exchange.end();
}

import { connect, type Socket } from "node:net";

/** A complete HTTP/1.1 response. */
export interface RawResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A raw connection, for requests that HTTP clients do not send. */
export interface RawConnection {
  /** Writes without waiting; ignores a closed connection. */
  send(text: string | Uint8Array): void;
  /** Reads the next response. Rejects if none arrives. */
  response(): Promise<RawResponse>;
  /** Resolves when `text` has arrived. Rejects if it does not. */
  received(text: string): Promise<void>;
  /** Resolves when the other side has closed the connection. */
  readonly closed: Promise<void>;
  /** Stops reading until `resume`. */
  pause(): void;
  resume(): void;
  /** Closes the connection gracefully. */
  close(): void;
  /** TCP reset. */
  reset(): void;
}

const patienceMs = 8_000;

/** Opens a connection to the host of `url`. */
export async function openRaw(url: string): Promise<RawConnection> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  return connectionOn(socket);
}

function connectionOn(socket: Socket): RawConnection {
  let received: Buffer = Buffer.alloc(0);
  let ended = false;
  let wake = () => {};
  const closed = Promise.withResolvers<void>();
  socket.on("data", (piece: Uint8Array) => {
    received = Buffer.concat([received, piece]);
    wake();
  });
  socket.on("error", () => socket.destroy());
  socket.on("close", () => {
    ended = true;
    closed.resolve();
    wake();
  });

  const more = () =>
    new Promise<void>((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`No answer in ${patienceMs} ms: '${received.toString()}'.`)),
        patienceMs,
      );
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  return {
    send(text) {
      if (!socket.destroyed) socket.write(typeof text === "string" ? Buffer.from(text) : text);
    },
    async response() {
      for (;;) {
        const taken = takeResponse(received, ended);
        if (taken) {
          received = received.subarray(taken.length);
          return taken.response;
        }
        if (ended) throw new Error(`The connection ended before an answer: '${received.toString()}'.`);
        await more();
      }
    },
    async received(text) {
      while (!received.includes(text)) {
        if (ended) throw new Error(`The connection ended before '${text}'.`);
        await more();
      }
    },
    closed: closed.promise,
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    close: () => socket.end(),
    reset: () => socket.resetAndDestroy(),
  };
}

/** Parses the first response and returns its length; null if it is incomplete. */
function takeResponse(bytes: Buffer, ended: boolean): { response: RawResponse; length: number } | null {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd < 0) return null;
  const [statusLine = "", ...lines] = bytes.subarray(0, headEnd).toString("latin1").split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  );
  const start = headEnd + 4;
  const status = Number(statusLine.split(" ")[1]);
  const end = status < 200 ? start : bodyEnd(bytes, start, headers, ended);
  if (end === null) return null;
  const body = bytes.subarray(start, end).toString();
  return { response: { status, headers, body }, length: end };
}

function bodyEnd(
  bytes: Buffer,
  start: number,
  headers: Readonly<Record<string, string>>,
  ended: boolean,
): number | null {
  if (headers["transfer-encoding"] === "chunked") {
    const last = bytes.indexOf("\r\n0\r\n\r\n", start - 2);
    return last < 0 ? null : last + 7;
  }
  const length = headers["content-length"];
  if (length === undefined) return ended ? bytes.length : null;
  const end = start + Number(length);
  return bytes.length >= end ? end : null;
}

import { connect } from "node:net";

/** An answer of which only the beginning has been read from the connection. */
export interface SlowAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Reads the rest, and reports each part of the body, starting with the beginning. */
  takeRest(onText: (text: string) => void): Promise<void>;
}

/**
 * Posts JSON on its own connection, reads the first bytes of the answer, and then nothing until told to. Unread bytes
 * stay with the sender; `fetch` would read them into memory.
 */
export async function postSlowly(url: string, headers: Readonly<Record<string, string>>, body: string) {
  const { hostname, port, pathname } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  const fields = { host: hostname, connection: "close", "content-length": String(Buffer.byteLength(body)), ...headers };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  socket.write([`POST ${pathname} HTTP/1.1`, ...lines, "", body].join("\r\n"));
  const start = Promise.withResolvers<Buffer>();
  socket.once("error", start.reject);
  let read: Buffer = Buffer.alloc(0);
  const takeHead = (piece: Buffer) => {
    read = Buffer.concat([read, piece]);
    if (!read.includes(headEnd)) return;
    socket.pause();
    socket.off("data", takeHead);
    start.resolve(read);
  };
  socket.on("data", takeHead);
  return answerOn(socket, await start.promise);
}

const headEnd = "\r\n\r\n";

function answerOn(socket: ReturnType<typeof connect>, start: Buffer): SlowAnswer {
  const end = start.indexOf(headEnd);
  const [statusLine = "", ...lines] = start.subarray(0, end).toString("latin1").split("\r\n");
  const headers = new Headers(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    }),
  );
  return {
    status: Number(statusLine.split(" ")[1]),
    headers,
    async takeRest(onText) {
      const decoder = new TextDecoder();
      const tell = (bytes: Buffer) => onText(decoder.decode(bytes, { stream: true }));
      const take = headers.get("transfer-encoding") === "chunked" ? withoutChunks(tell) : tell;
      take(start.subarray(end + headEnd.length));
      const ended = Promise.withResolvers<void>();
      socket.on("data", take);
      socket.once("close", ended.resolve);
      socket.once("error", ended.reject);
      socket.resume();
      await ended.promise;
    },
  };
}

const lineEnd = "\r\n";

/** Parses a chunked body and reports its content. */
function withoutChunks(tell: (bytes: Buffer) => void): (bytes: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    for (;;) {
      const sizeEnd = rest.indexOf(lineEnd);
      if (sizeEnd < 0) return;
      const from = sizeEnd + lineEnd.length;
      const to = from + Number.parseInt(rest.toString("latin1", 0, sizeEnd), 16);
      if (rest.length < to + lineEnd.length) return;
      tell(rest.subarray(from, to));
      rest = rest.subarray(to + lineEnd.length);
    }
  };
}

import { STATUS_CODES, type ServerResponse } from "node:http";
import type { RequestEntry } from "../request-log.ts";

const headPieces = 8;

/** The connection to one caller, down to its socket. No method throws if the caller has disconnected. */
export interface Line {
  /** Writes the status line and headers, which are sent with the body or before a pause. */
  head(status: number, headers: Readonly<Record<string, string>>): void;
  /** Sends them in parts with a delay in between; the connection ends with the answer. False: the caller disconnected. */
  slowHead(status: number, headers: Readonly<Record<string, string>>, delayMs: number): Promise<boolean>;
  /** Sends a part of the body and waits for the connection to drain. False: the caller disconnected. */
  write(bytes: Uint8Array): Promise<boolean>;
  /** Waits. False: the caller disconnected. */
  pause(milliseconds: number): Promise<boolean>;
  /** Waits one turn of the event loop, so that two writes arrive separately. */
  turn(): Promise<void>;
  /** Waits until the caller disconnects. */
  hold(): Promise<void>;
  end(): void;
  /** Closes the connection: FIN. */
  cut(): void;
  /** TCP reset: RST. */
  reset(): void;
}

/** Creates the line of a response. `changed` is called when the entry has its status, and when the request has ended. */
export function openLine(response: ServerResponse, entry: RequestEntry, changed: () => void): Line {
  const socket = response.socket;
  let raw = false;
  let gone = false;
  const leaving = Promise.withResolvers<void>();

  function finish(outcome: RequestEntry["outcome"]): void {
    if (entry.outcome !== "open") return;
    entry.outcome = outcome;
    entry.endedAt = Date.now();
    changed();
  }

  function leave(): void {
    gone = true;
    finish("aborted");
    leaving.resolve();
  }
  response.on("close", leave);
  response.on("error", leave);
  if (socket === null || socket.destroyed) leave();

  function flushHead(): void {
    if (!gone && !raw && response.headersSent && entry.writesSent === 0) response.flushHeaders();
  }

  async function pause(milliseconds: number): Promise<boolean> {
    if (milliseconds > 0 && !gone) {
      flushHead();
      const timer = Promise.withResolvers<void>();
      const handle = setTimeout(timer.resolve, milliseconds);
      await Promise.race([timer.promise, leaving.promise]);
      clearTimeout(handle);
    }
    return !gone;
  }

  async function drained(): Promise<void> {
    const drain = Promise.withResolvers<void>();
    const sink = raw ? socket : response;
    sink?.once("drain", drain.resolve);
    await Promise.race([drain.promise, leaving.promise]);
    sink?.off("drain", drain.resolve);
  }

  return {
    head(status, headers) {
      if (gone) return;
      entry.status = status;
      response.writeHead(status, headers);
      changed();
    },
    async slowHead(status, headers, delayMs) {
      raw = true;
      entry.status = status;
      const fields = Object.entries({ ...headers, connection: "close" }).map(([name, value]) => `${name}: ${value}`);
      const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`, ...fields, "", ""].join("\r\n");
      const size = Math.ceil(head.length / headPieces);
      for (let start = 0; start < head.length; start += size) {
        if (gone) return false;
        socket?.write(head.slice(start, start + size));
        if (!(await pause(delayMs))) return false;
      }
      return true;
    },
    async write(bytes) {
      if (gone) return false;
      entry.bytesSent += bytes.length;
      entry.writesSent += 1;
      const accepted = raw ? (socket?.write(bytes) ?? false) : response.write(bytes);
      if (!accepted) await drained();
      return !gone;
    },
    pause,
    async turn() {
      flushHead();
      await new Promise((resolve) => setImmediate(resolve));
    },
    async hold() {
      flushHead();
      await leaving.promise;
    },
    end() {
      if (gone) return;
      finish("finished");
      if (raw) socket?.end();
      else response.end();
    },
    cut() {
      if (gone) return;
      finish("cut");
      socket?.destroy();
    },
    reset() {
      if (gone) return;
      finish("cut");
      socket?.resetAndDestroy();
    },
  };
}

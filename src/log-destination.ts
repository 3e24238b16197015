import { write, writeSync } from "node:fs";

/** The destination of log lines. Never throws and never waits: a log must not stop the work that it reports. */
export interface LogDestination {
  write(line: string): void;
  /** Resolves when everything written so far has gone out, or cannot; within a second. */
  flush(): Promise<void>;
}

const gatherMs = 20;
const retryMs = 50;
const flushLimitMs = 1_000;
/** A reader that is slower than the log loses lines rather than the gateway its memory. */
const maxPending = 4 * 1024 * 1024;

/**
 * Gathers lines and writes them to a file descriptor together, away from the caller's turn. A full pipe is tried again;
 * a closed one ends the log and nothing else. What is pending when the process exits is written then.
 */
export function gatheringDestination(fileDescriptor: number): LogDestination {
  let pending: string[] = [];
  let pendingLength = 0;
  let writing: Buffer | null = null;
  let timer: NodeJS.Timeout | null = null;
  let closed = false;
  let idle: (() => void)[] = [];

  function wait(ms: number, then: () => void): void {
    timer = setTimeout(() => {
      timer = null;
      then();
    }, ms).unref();
  }

  function writePending(): void {
    if (writing !== null) return;
    if (pending.length === 0) return settle();
    writing = Buffer.from(pending.join(""));
    pending = [];
    pendingLength = 0;
    writeOn();
  }

  function writeOn(): void {
    if (writing === null) return;
    write(fileDescriptor, writing, (error, written) => {
      if (error?.code === "EAGAIN" || error?.code === "EBUSY") return wait(retryMs, writeOn);
      // EPIPE: the reader is gone. Other faults, such as a full disk, may pass: only these lines are lost.
      if (error?.code === "EPIPE") closed = true;
      if (error === null && writing !== null && written < writing.length) {
        writing = writing.subarray(written);
        return writeOn();
      }
      writing = null;
      writePending();
    });
  }

  function settle(): void {
    const waiting = idle;
    idle = [];
    for (const resolve of waiting) resolve();
  }

  process.once("exit", () => {
    try {
      // A write under way means a reader that stands still: waiting for it could last for ever.
      if (!closed && writing === null && pending.length > 0) writeSync(fileDescriptor, pending.join(""));
    } catch {
      // The last lines cannot be written, and there is no place left to report it.
    }
  });

  return {
    write(line) {
      if (closed || pendingLength + line.length > maxPending) return;
      pending.push(line);
      pendingLength += line.length;
      if (timer === null && writing === null) wait(gatherMs, writePending);
    },
    flush() {
      return new Promise((resolve) => {
        const limit = setTimeout(resolve, flushLimitMs);
        idle.push(() => {
          clearTimeout(limit);
          resolve();
        });
        writePending();
      });
    },
  };
}

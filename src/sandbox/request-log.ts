/** A received request and the progress of its answer. */
export interface RecordedRequest {
  /** 1 for the first since the last reset. */
  readonly number: number;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The received bytes; empty if the log has no room for them. */
  readonly body: Uint8Array;
  /** The requested model; null if there is none. */
  readonly model: string | null;
  /** Null until headers were sent. */
  readonly status: number | null;
  /** Bytes of the answer's body written so far. */
  readonly bytesSent: number;
  readonly writesSent: number;
  /** `aborted`: the caller disconnected. `cut`: the sandbox broke off, according to its script. */
  readonly outcome: "open" | "finished" | "aborted" | "cut";
  /** Milliseconds since 1970; null while the request is open. */
  readonly endedAt: number | null;
}

/** The same, mutable for the sandbox. */
export type RequestEntry = { -readonly [Field in keyof RecordedRequest]: RecordedRequest[Field] };

export interface LogLimits {
  /** The maximum number of requests. */
  readonly requests: number;
  /** The maximum number of bytes of their bodies. */
  readonly bytes: number;
}

/** The newest requests, within bounds: the oldest are dropped first. */
export interface RequestLog {
  readonly requests: readonly RecordedRequest[];
  add(entry: RequestEntry): void;
  /** Must be called after each change of an entry's outcome. */
  changed(): void;
  /** Resolves when the condition holds; checked whenever a request arrives or ends. */
  waitFor(condition: (requests: readonly RecordedRequest[]) => boolean): Promise<void>;
  reset(): void;
}

const maxWaiting = 1000;

export function createRequestLog(limits: LogLimits): RequestLog {
  const entries: RequestEntry[] = [];
  const waiting = new Set<() => void>();
  let bytes = 0;

  function changed(): void {
    for (const check of waiting) check();
  }

  return {
    requests: entries,
    changed,
    add(entry) {
      if (entry.body.length > limits.bytes) entry.body = new Uint8Array();
      entries.push(entry);
      bytes += entry.body.length;
      while (entries.length > limits.requests || bytes > limits.bytes) bytes -= entries.shift()?.body.length ?? 0;
      changed();
    },
    async waitFor(condition) {
      if (waiting.size >= maxWaiting) throw new Error("Too many are waiting for this sandbox.");
      await new Promise<void>((resolve) => {
        const check = (): void => {
          if (!condition(entries)) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      });
    },
    reset() {
      entries.length = 0;
      bytes = 0;
      changed();
    },
  };
}

import type { Timeouts } from "../../src/upstream/provider.ts";
import type { Script } from "../../src/sandbox/server.ts";
import type { Cell, FaultName } from "./faults.testkit.ts";
import type { Which } from "./observation.testkit.ts";

/** The address of a first target outside the sandbox. */
export type Elsewhere = "no listener" | "no such host" | "no TLS" | "never accepts";

/** The cause of a fault at a target. */
interface Cause {
  /** The script of the target in the sandbox. */
  readonly script?: Script;
  readonly elsewhere?: Elsewhere;
  /** Shorter time limits, if one of them is to be exceeded. */
  readonly timeouts?: Partial<Timeouts>;
}

/** Long enough that a busy machine does not exceed them. */
export const patientTimeouts: Timeouts = {
  connectMs: 10_000,
  firstByteMs: 20_000,
  idleMs: 20_000,
  totalMs: 60_000,
};

/** Texts and token counts that identify the target in the answer and the charge. */
export const answers = {
  first: { text: ["This", " is", " what", " the", " first", " target", " says", "."], input: 100, output: 10 },
  second: { text: ["And", " this", " the", " second", "."], input: 300, output: 20 },
} as const;

/** Events sent before a stream fails: enough for some text in every dialect. */
const after = 5;

/**
 * A text larger than the system's buffers for an unread stream (about 40 MB), in pieces of
 * 64 KiB. Responses repeats it four times at the end, each in one event, of which the gateway accepts up to 8 MiB; and
 * JSON is read completely.
 */
const largePieces = { whole: 16, repeated: 120, streamed: 768 };
const largePiece = "x".repeat(65_536);

/** The size of the first target's text; null for the default. */
function largeSizeOf({ fault, form, dialect }: Cell): keyof typeof largePieces | null {
  if (fault !== "slow reader") return null;
  if (form === "json") return "whole";
  return dialect === "openai-responses" ? "repeated" : "streamed";
}

function piecesOf(cell: Cell, target: Which): readonly string[] {
  const size = target === "first" ? largeSizeOf(cell) : null;
  return size === null ? answers[target].text : Array.from({ length: largePieces[size] }, () => largePiece);
}

/** The pause of a slow reader: longer than the idle limit. */
export const slowReaderPauseMs = 1_300;

const silent: Partial<Timeouts> = { connectMs: 400, firstByteMs: 700 };
const stalling: Partial<Timeouts> = { firstByteMs: 3_000, idleMs: 400 };

const status = (code: number, headers: Readonly<Record<string, string>> = {}): Cause => ({
  script: { fault: { kind: "status", status: code, headers: { ...headers } } },
});

const causes: Readonly<Record<FaultName, Cause>> = {
  none: {},
  "connection refused": { elsewhere: "no listener" },
  reset: { script: { fault: { kind: "reset" } } },
  closed: { script: { fault: { kind: "close" } } },
  "TLS failure": { elsewhere: "no TLS" },
  "DNS failure": { elsewhere: "no such host" },
  "slow connect": { elsewhere: "never accepts", timeouts: { connectMs: 250 } },
  silence: { script: { fault: { kind: "stall", at: "headers" } }, timeouts: silent },
  "slow headers": { script: { fault: { kind: "slow_headers", delay_ms: 300 } }, timeouts: silent },

  "400": status(400),
  "401": status(401),
  "402": status(402),
  "403": status(403),
  "404": status(404),
  "408": status(408),
  "409": status(409),
  "413": status(413),
  "422": status(422),
  "429 with a wait": status(429, { "retry-after": "30" }),
  // Not in the vendor's format, because Gemini's always has a wait.
  "429 without a wait": { script: { fault: { kind: "status", status: 429, body: "Too many requests." } } },
  "500": status(500),
  "502": status(502),
  "503": status(503),
  "504": status(504),
  "529": status(529),
  "HTML error page": { script: { fault: { kind: "html" } } },

  "HTML page with 200": { script: { fault: { kind: "html", status: 200 } } },
  "empty body": { script: { fault: { kind: "empty_body" } } },
  "truncated JSON": { script: { fault: { kind: "truncated_json", after: 0 } } },
  "200 with an error body": { script: { fault: { kind: "error_body" } } },
  "wrong content type": { script: { fault: { kind: "content_type" } } },
  "error event first": { script: { fault: { kind: "error_first" } } },
  "error event mid-stream": { script: { fault: { kind: "error_event", after } } },
  "stall before the first byte": { script: { fault: { kind: "stall", at: "first_byte" } }, timeouts: silent },
  "stall mid-stream": { script: { fault: { kind: "stall", after } }, timeouts: stalling },
  // A pause before the break, so that the sent bytes are read.
  "cut mid-stream": { script: { fault: { kind: "cut", after, delay_ms: 300 } } },
  "end without a finish reason": { script: { fault: { kind: "end", after } } },
  "no terminal event": { script: { no_done: true } },

  "caller leaves before the headers": { script: { fault: { kind: "stall", at: "headers" } } },
  "caller leaves before the first byte": { script: { fault: { kind: "stall", at: "first_byte" } } },
  "caller leaves mid-stream": { script: { fault: { kind: "stall", after } } },
  // With its own finish reason, the text is not cut at `max_tokens`. The pauses give the gateway, which
  // runs in the same process, time to apply backpressure.
  "slow reader": { script: { finish_reason: "stop", chunk_delay_ms: 1 }, timeouts: { idleMs: 1_000 } },
};

/** The cause of a cell's fault. */
export function causeOf({ fault }: Cell): Cause {
  return causes[fault];
}

/** The script of one of the cell's targets. */
export function scriptOf(cell: Cell, target: Which): Script {
  const { input, output } = answers[target];
  const own = target === "first" ? causeOf(cell).script : undefined;
  return { chunks: [...piecesOf(cell, target)], tokens: { input, output }, ...own };
}

const texts = new Map<number, string>();

/** The text of a valid answer. A large one is created once. */
export function textOf(cell: Cell, target: Which): string {
  const pieces = piecesOf(cell, target);
  if (pieces.length < largePieces.whole) return pieces.join("");
  const text = texts.get(pieces.length) ?? pieces.join("");
  texts.set(pieces.length, text);
  return text;
}

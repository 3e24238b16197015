import { createRequire } from "node:module";
import type * as PinoPretty from "pino-pretty";
import { type RequestLine, requestFields, requestJson } from "./log-request-line.ts";
import { gatheringDestination, type LogDestination } from "./log-destination.ts";

/** The fields of a line beside its message. Never a prompt, an answer or a secret. */
export type LogFields = Readonly<Record<string, unknown>>;

/** How the gateway tells its operator what happens. */
export interface Log {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  /** The line of a request, at level `info`, with the message `request`. */
  request(line: RequestLine): void;
  /** Resolves when all lines so far have gone out, or cannot. Never rejects. */
  flush(): Promise<void>;
}

const levels = ["debug", "info", "warn", "error"] as const;
type Level = (typeof levels)[number];

export interface LogOptions {
  /** Lines below it are left out. */
  readonly level: Level;
  /** `auto`: pretty if stdout is a terminal, else JSON. */
  readonly format: "auto" | "json" | "pretty";
  /** Standard output unless told otherwise. */
  readonly destination?: LogDestination;
}

/** Fields whose values are never written, from any code: secrets are kept out by construction. */
const secretFields: ReadonlySet<string> = new Set([
  "authorization",
  "api_key",
  "apiKey",
  "key",
  "secret",
  "password",
  "cookie",
  "x-api-key",
]);

/** Tollgate's own keys, anywhere in a line. Their public id may be told. */
const ownKey = /(sk-tg-[0-9A-Za-z]{10})-[0-9A-Za-z]{16,}/g;

/** A log of one JSON object a line, or of readable lines on a terminal. */
export function createLog({ level, format, destination = gatheringDestination(1) }: LogOptions): Log {
  const pretty = format === "pretty" || (format === "auto" && process.stdout.isTTY);
  const render = pretty ? prettyPrinter() : (line: string) => line;
  const writer = (at: Level): Log[Level] => {
    if (levels.indexOf(at) < levels.indexOf(level)) return () => {};
    return (fields, message) => destination.write(render(withoutKeys(lineOf(at, fields, message))));
  };
  const info = writer("info");
  const isShown = levels.indexOf("info") >= levels.indexOf(level);
  const request = pretty
    ? (line: RequestLine) => info(requestFields(line), "request")
    : (line: RequestLine) => destination.write(withoutKeys(requestJson(line, timeNow())));
  return {
    debug: writer("debug"),
    info,
    warn: writer("warn"),
    error: writer("error"),
    request: isShown ? request : () => {},
    flush: () => destination.flush(),
  };
}

/** Written by hand, since a request's line is on its path: a logging library takes more than twice as long for it. */
function lineOf(level: Level, fields: LogFields, message: string): string {
  const line: Record<string, unknown> = { level, time: timeNow() };
  try {
    for (const name in fields) line[name] = tellable(name, fields[name]);
    line.message = message;
    return `${JSON.stringify(line)}\n`;
  } catch {
    // Something in it has no JSON form. The message has one.
    return `${JSON.stringify({ level, time: line.time, message })}\n`;
  }
}

let second = 0;
let secondText = "";

/** The time as ISO 8601 in UTC. Its date is worked out once a second. */
function timeNow(): string {
  const now = Date.now();
  const milliseconds = now % 1000;
  if (now - milliseconds !== second) {
    second = now - milliseconds;
    secondText = new Date(second).toISOString().slice(0, -4);
  }
  return `${secondText}${milliseconds < 10 ? "00" : milliseconds < 100 ? "0" : ""}${milliseconds}Z`;
}

function tellable(name: string, value: unknown): unknown {
  if (secretFields.has(name)) return "[redacted]";
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  if (value instanceof Error) return { type: value.name, message: value.message, stack: value.stack };
  return Object.fromEntries(Object.entries(value).map(([inner, held]) => [inner, tellable(inner, held)]));
}

function withoutKeys(line: string): string {
  return line.includes("sk-tg-") ? line.replace(ownKey, "$1-[redacted]") : line;
}

/** Loaded only if it is used: it would cost every start tens of milliseconds. */
function prettyPrinter(): (line: string) => string {
  // `require` knows no types; this is the type of the module it loads.
  const { prettyFactory } = createRequire(import.meta.url)("pino-pretty") as typeof PinoPretty;
  const colorize = process.stdout.isTTY && process.env["NO_COLOR"] === undefined;
  return prettyFactory({
    colorize,
    messageKey: "message",
    errorLikeObjectKeys: ["error"],
    singleLine: true,
    translateTime: "SYS:HH:MM:ss.l",
  });
}

import { createRequire } from "node:module";
import type * as PinoPretty from "pino-pretty";
import { pino, stdTimeFunctions } from "pino";
import { gatheringDestination, type LogDestination } from "./log-destination.ts";

/** What a line tells beside its message. Never a prompt, an answer or a secret. */
export type LogFields = Readonly<Record<string, unknown>>;

/** How the house tells its operator what happens. */
export interface Log {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  /** Resolves when all lines so far have gone out, or cannot. Never rejects. */
  flush(): Promise<void>;
}

export interface LogOptions {
  readonly level: "debug" | "info" | "warn" | "error";
  /** `auto`: pretty where stdout is a terminal, else JSON. */
  readonly format: "auto" | "json" | "pretty";
  /** Standard output unless told otherwise. */
  readonly destination?: LogDestination;
}

/** Fields whose values are never written, whoever passes them: secrets are kept out by construction. */
const secretFields = ["authorization", "api_key", "apiKey", "key", "secret", "password", "cookie", "x-api-key"];

/** Tollgate's own keys, wherever in a line they stand. Their public id may be told. */
const ownKey = /(sk-tg-[0-9A-Za-z]{10})-[0-9A-Za-z]{16,}/g;

/** A log of one JSON object a line, or of readable lines on a terminal. */
export function createLog({ level, format, destination = gatheringDestination(1) }: LogOptions): Log {
  const pretty = format === "pretty" || (format === "auto" && process.stdout.isTTY);
  const render = pretty ? prettyPrinter() : (line: string) => line;
  const logger = pino(
    {
      level,
      base: null,
      messageKey: "message",
      errorKey: "error",
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: secretFields.flatMap((name) => [`["${name}"]`, `headers["${name}"]`]), censor: "[redacted]" },
    },
    { write: (line) => destination.write(render(withoutKeys(line))) },
  );
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    flush: () => destination.flush(),
  };
}

function withoutKeys(line: string): string {
  return line.includes("sk-tg-") ? line.replace(ownKey, "$1-[redacted]") : line;
}

/** Loaded only where it is used: it would cost every start tens of milliseconds. */
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

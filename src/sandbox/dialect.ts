import type { Memory } from "./memory.ts";
import type { Prompt } from "./prompt.ts";
import type { Failure } from "./refusal.ts";
import type { Reply } from "./reply.ts";
import type { Script } from "./script.ts";

/** A vendor's wire format, as the sandbox speaks it. Each stands in a folder of its own and in `dialects.ts`. */
export interface Dialect {
  readonly name: string;
  /** Who answers this method and path; null when they are not this dialect's. Header names are in lower case. */
  route(method: string, path: string, headers: Readonly<Record<string, string>>): Operation | null;
  /** The API key of a request, wherever this vendor looks for it. Header names are in lower case. */
  credential(headers: Readonly<Record<string, string>>, query: URLSearchParams): string | null;
  /** Headers of every answer, with an id of the request. */
  headers(requestId: string): Record<string, string>;
  /** An error in the vendor's envelope, as JSON text. */
  writeError(failure: Failure): string;
}

/** What a path does. */
export type Operation =
  | { readonly kind: "refuse"; readonly failure: Failure }
  | { readonly kind: "read"; answer(catalog: Catalog, memory: Memory, query: URLSearchParams): unknown }
  | { readonly kind: "generate"; read(body: string, memory: Memory, query: URLSearchParams): Call };

/** The models an operation may tell of. */
export interface Catalog {
  readonly ids: readonly string[];
  has(id: string): boolean;
}

/** A request to generate, understood: what it asks, and how its answer is written. */
export interface Call {
  readonly prompt: Prompt;
  /** Whether a stream was asked for. */
  readonly stream: boolean;
  /** The request's own `sandbox` field, unchecked. */
  readonly directives: unknown;
  /** Checks that wait for the script, such as those of its strict mode. Throws a Refusal. */
  check(script: Script): void;
  /** The whole answer as JSON text. */
  writeJson(reply: Reply, script: Script): string;
  readonly streamContentType: string;
  /** The answer as a stream, event by event, made as they are sent. */
  writeStream(reply: Reply, script: Script): Iterable<Frame>;
  /** An error inside a stream. */
  errorFrame(failure: Failure): Frame;
}

/** One event of a stream. */
export interface Frame {
  /** The SSE event name, where the vendor gives one. */
  readonly event?: string;
  readonly data: string;
  /** In place of an SSE event: an item of one JSON array, which the stream then is. */
  readonly form?: "array-item" | undefined;
}

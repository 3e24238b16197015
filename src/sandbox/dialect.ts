import type { Memory } from "./memory.ts";
import type { Prompt } from "./prompt.ts";
import type { Failure } from "./refusal.ts";
import type { Reply } from "./reply.ts";
import type { Script } from "./script/script.ts";
import type { Sound } from "./sound/write-sound.ts";
import type { ScriptedAnswer } from "./wire/answer.ts";

/** A vendor's wire format in the sandbox. Each has its own folder and is listed in `dialects.ts`. */
export interface Dialect {
  readonly name: string;
  /** Finds the operation of this method and path; null if it does not belong to this dialect. Header names are in lower case. */
  route(method: string, path: string, headers: Readonly<Record<string, string>>): Operation | null;
  /** The API key of a request, in the places that this vendor accepts. Header names are in lower case. */
  credential(headers: Readonly<Record<string, string>>, query: URLSearchParams): string | null;
  /** Credentials are checked by the operation itself, and not by the sandbox. */
  readonly takesAnyCredential?: true;
  /** Headers of every answer, including a request id. */
  headers(requestId: string): Record<string, string>;
  /** An error in the vendor's format, as JSON text. */
  writeError(failure: Failure): string;
}

/** The operation of a path. */
export type Operation =
  | { readonly kind: "refuse"; readonly failure: Failure }
  | { readonly kind: "read"; answer(catalog: Catalog, memory: Memory, query: URLSearchParams): unknown }
  | { readonly kind: "generate"; read(body: string, memory: Memory, query: URLSearchParams): Call }
  /** The same of a body that is no text. */
  | { readonly kind: "receive"; read(body: Uint8Array, query: URLSearchParams): Call }
  | { readonly kind: "bytes"; readonly contentType: string; readonly bytes: Uint8Array }
  /** An answer of any kind, which the operation writes itself. */
  | { readonly kind: "serve"; serve(request: ServedRequest): Promise<ScriptedAnswer> };

/** A request to an operation that writes its answer itself. Header names are in lower case. */
export interface ServedRequest {
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly catalog: Catalog;
  readonly memory: Memory;
}

/** The models that an operation may list. */
export interface Catalog {
  readonly ids: readonly string[];
  has(id: string): boolean;
}

/** A parsed request to generate: its prompt, and how to write its answer. */
export interface Call {
  readonly prompt: Prompt;
  /** Whether a stream was requested. */
  readonly stream: boolean;
  /** The request's own `sandbox` field, unchecked. */
  readonly directives: unknown;
  /** Checks that depend on the script, such as those of strict mode. Throws a Refusal. */
  check(script: Script): void;
  /** The complete answer as JSON text. */
  writeJson(reply: Reply, script: Script): string;
  /** Of what `writeJson` writes, if it is no JSON after all. */
  readonly contentType?: string;
  /** The complete answer as sound, in place of JSON. */
  writeSound?(reply: Reply, script: Script): Sound;
  readonly streamContentType: string;
  /** The answer as a stream of events, created lazily. */
  writeStream(reply: Reply, script: Script): Iterable<Frame>;
  /** An error inside a stream. */
  errorFrame(failure: Failure): Frame;
}

/** One event of a stream. */
export interface Frame {
  /** The SSE event name, if the vendor uses one. */
  readonly event?: string;
  readonly data: string;
  /** The stream is a JSON array, and this is an item instead of an SSE event. */
  readonly form?: "array-item" | undefined;
}

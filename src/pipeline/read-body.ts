import { bodyTooLarge, invalidRequest, type GatewayError } from "../errors.ts";
import { decodeUtf8 } from "../json/decode-utf8.ts";
import { tooComplex } from "../json/read-object.ts";
import { type JsonStructure, JsonTooComplex, measureStructure, smallJsonBytes } from "../json/structure.ts";
import { nextTurn } from "../next-turn.ts";
import type { Operation, OperationInput, RequestBody } from "../operations/operation.ts";
import type { BodyReader, ServerExchange } from "../server/exchange.ts";
import type { Hold } from "./capacity/capacity.ts";
import { inflateBody, readCodings } from "./inflate-body.ts";
import { readForm } from "./read-form.ts";
import type { RequestContext } from "./request-context.ts";
import type { Services } from "./services.ts";

type BodyTools = Pick<Services, "steady" | "deadlines" | "bodyLimits" | "scratch">;
type BodySource = Pick<ServerExchange, "headers" | "body" | "readBody" | "pauseBody" | "resumeBody">;
type Cancellable = Pick<RequestContext, "onCancel" | "cancelReason">;
type BytesHold = Pick<Hold, "addBodyBytes" | "addParsedBytes" | "onRelease">;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const noBody: RequestBody = { kind: "none" };

/**
 * Reads the body of a request: JSON decompressed, a form as `readForm` does. Throws a 415 for another content type or encoding, a 413 as soon as the size
 * is known to be over the limit, a 503 if the gateway holds as many bytes as it can, a 408 if the body is slow to arrive,
 * the reason of a cancellation if that comes first, and a 400 if the body does not match its type or has so much
 * structure that parsing it would hold up others.
 */
export function readBody(
  tools: BodyTools,
  context: Cancellable | null,
  exchange: BodySource,
  expected: Operation<OperationInput>["body"],
  hold: BytesHold,
): RequestBody | Promise<RequestBody> {
  if (expected === "none") return noBody;
  const { headers } = exchange;
  if (expected === "multipart" || (expected === "json_or_multipart" && isForm(headers))) {
    return readForm(tools, context, exchange, hold).then((form) => ({ kind: "multipart", form }));
  }
  const kind = "json";
  const codings = readCodings(headers.get("content-encoding"));
  checkJsonType(headers.get("content-type"));
  const sent = readBytes(tools, context, exchange, hold);
  const isPlain = sent instanceof Uint8Array && codings.length === 0;
  if (isPlain && sent.length <= smallJsonBytes) return { kind, text: decode(sent) };
  return readInSteps(tools, sent, codings, hold);
}

function isForm(headers: BodySource["headers"]): boolean {
  return /^\s*multipart\//i.test(headers.get("content-type") ?? "");
}

async function readInSteps(
  { bodyLimits }: BodyTools,
  arriving: Uint8Array | Promise<Uint8Array>,
  codings: readonly string[],
  hold: BytesHold,
): Promise<RequestBody> {
  const sent = await arriving;
  const bytes = codings.length === 0 ? sent : await inflate(sent, codings, bodyLimits, hold);
  return { kind: "json", text: bytes.length <= smallJsonBytes ? decode(bytes) : await readLarge(bytes, hold) };
}

function readBytes(
  tools: BodyTools,
  context: Cancellable | null,
  exchange: BodySource,
  hold: BytesHold,
): Uint8Array | Promise<Uint8Array> {
  const { body } = exchange;
  if (body === null) return collectBytes(tools, context, exchange, hold);
  const { maxBodyBytes } = tools.bodyLimits;
  if (body.length > maxBodyBytes) throw bodyTooLarge(maxBodyBytes);
  hold.addBodyBytes(body.length);
  return body;
}

/** The bytes of a body that did not come together with its head. */
function collectBytes(
  { steady, deadlines, bodyLimits }: BodyTools,
  context: Cancellable | null,
  exchange: BodySource,
  hold: BytesHold,
): Promise<Uint8Array> {
  const { maxBodyBytes, bodyTimeoutMs } = bodyLimits;
  const { headers } = exchange;
  const announced = headers.get("content-length");
  const length = announced === null ? null : Number(announced);
  if (length !== null && length > maxBodyBytes) throw bodyTooLarge(maxBodyBytes);
  if (length !== null) hold.addBodyBytes(length);
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const collector = new BodyCollector(length, maxBodyBytes, hold, resolve, reject);
  const deadline = deadlines.watch(steady.now() + bodyTimeoutMs, () => collector.fail(bodyLate(bodyTimeoutMs)));
  if (context) context.onCancel = () => collector.fail(context.cancelReason);
  exchange.readBody(collector);
  return promise.finally(() => {
    deadlines.unwatch(deadline);
    if (context) context.onCancel = null;
  });
}

/** Puts a body together that comes in pieces. */
class BodyCollector implements BodyReader {
  readonly #maxBytes: number;
  readonly #hold: BytesHold;
  readonly #resolve: (bytes: Uint8Array) => void;
  readonly #reject: (reason: unknown) => void;
  /** All of the body, if its length is known. */
  readonly #whole: Uint8Array | null;
  #pieces: Uint8Array[] = [];
  #total = 0;
  #isOver = false;

  constructor(
    length: number | null,
    maxBytes: number,
    hold: BytesHold,
    resolve: (bytes: Uint8Array) => void,
    reject: (reason: unknown) => void,
  ) {
    this.#whole = length === null ? null : new Uint8Array(length);
    this.#maxBytes = maxBytes;
    this.#hold = hold;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  onBytes(bytes: Uint8Array): void {
    if (this.#isOver) return;
    const before = this.#total;
    this.#total += bytes.length;
    if (this.#whole !== null) {
      this.#whole.set(bytes, before);
      return;
    }
    try {
      if (this.#total > this.#maxBytes) throw bodyTooLarge(this.#maxBytes);
      this.#hold.addBodyBytes(bytes.length);
      this.#pieces.push(bytes);
    } catch (error) {
      this.fail(error);
    }
  }

  onEnd(): void {
    this.#isOver = true;
    this.#resolve(this.#whole ?? Buffer.concat(this.#pieces));
  }

  onFailure(reason: string): void {
    this.fail(invalidRequest("body_timeout", `The request body did not arrive. ${reason}`));
  }

  fail(error: unknown): void {
    this.#isOver = true;
    this.#pieces = [];
    this.#reject(error);
  }
}

function inflate(
  bytes: Uint8Array,
  codings: readonly string[],
  { maxBodyBytes }: Services["bodyLimits"],
  hold: BytesHold,
): Promise<Uint8Array> {
  return inflateBody(bytes, codings, maxBodyBytes, (more) => hold.addBodyBytes(more));
}

/** A JSON text whose reading might take long: each step has a turn of its own, and the first one bounds the others. */
async function readLarge(bytes: Uint8Array, hold: BytesHold): Promise<string> {
  const structure = measure(bytes);
  hold.addParsedBytes(Math.max(0, parsedBytes(structure) - bytes.length));
  await nextTurn();
  await refuseControlCharacters(bytes, structure);
  try {
    const text = await decodeUtf8(bytes);
    await nextTurn();
    return text;
  } catch {
    throw notUtf8();
  }
}

// oxlint-disable-next-line no-control-regex -- JSON does not allow them in a string
const control = /[\0-\x1f]/;
const searchedBytes = 1 << 20;

/** JSON in long strings is not parsed, and a parser is what would notice. In steps of a few milliseconds. */
async function refuseControlCharacters(bytes: Uint8Array, { longStrings }: JsonStructure): Promise<void> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let searched = 0;
  for (const [start, end] of longStrings) {
    for (let at = start; at < end; at += searchedBytes) {
      if (control.test(buffer.toString("latin1", at, Math.min(end, at + searchedBytes)))) throw hasControlCharacter();
      searched += searchedBytes;
      if (searched % (2 * searchedBytes) === 0) await nextTurn();
    }
  }
}

function hasControlCharacter(): GatewayError {
  const message = "The request body is not valid JSON. A string holds a control character that is not escaped.";
  return invalidRequest("invalid_json", message);
}

function measure(bytes: Uint8Array): JsonStructure {
  try {
    return measureStructure(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  } catch (error) {
    if (!(error instanceof JsonTooComplex)) throw error;
    throw tooComplex(error);
  }
}

/** An upper estimate of a parsed body's memory, from measurements of JavaScriptCore. */
function parsedBytes({ nodes, separators }: JsonStructure): number {
  return nodes * 256 + separators * 32;
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw notUtf8();
  }
}

function notUtf8(): GatewayError {
  return invalidRequest("invalid_json", "The request body is not valid UTF-8.");
}

function checkJsonType(type: string | null): void {
  if (type === null || type === "application/json" || /^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type)) return;
  const message = "The request body must be JSON: send 'Content-Type: application/json'.";
  throw invalidRequest("unsupported_media_type", message, "Content-Type");
}

function bodyLate(timeoutMs: number): GatewayError {
  const message = `The request body did not arrive within ${timeoutMs / 1000} seconds.`;
  return invalidRequest("body_timeout", message);
}

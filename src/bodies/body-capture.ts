import type { RequestBody } from "../operations/operation.ts";
import type { BodyLogPolicy } from "./body-log-policy.ts";
import type { BodyMemory } from "./body-memory.ts";
import { PieceList } from "./piece-list.ts";
import { formType, isText, type RawBody, type RawPart } from "./kept-body.ts";

/** Of a stream, which takes more bytes than the texts in it. */
const streamFactor = 16;
/** Larger bodies are not looked at. */
const maxLookedAt = 8 << 20;

/** The bodies of one request, from its beginning until they are kept. */
export class BodyCapture {
  readonly policy: BodyLogPolicy;
  readonly accountId: string;
  readonly request: RawBody;
  readonly #memory: BodyMemory;
  readonly #pieces = new PieceList();
  #answer: RawBody | null = null;
  #contentType = "";
  #isTextStream = false;
  /** From there on nothing is captured: what follows a gap would be read as something else. */
  #isCut = false;
  #answerBytes = 0;
  #heldBytes = 0;
  #isOver = false;

  constructor(accountId: string, policy: BodyLogPolicy, request: RequestBody, memory: BodyMemory) {
    this.accountId = accountId;
    this.policy = policy;
    this.#memory = memory;
    this.request = this.#bounded(rawRequest(request));
  }

  /** The answer in one piece. */
  setAnswer(contentType: string, body: string | Uint8Array): void {
    const raw: RawBody =
      typeof body === "string"
        ? { kind: "text", contentType, text: body }
        : { kind: "bytes", contentType, pieces: [body], bytes: body.length };
    const bytes = body.length;
    this.#answer = isText(contentType) ? this.#bounded(raw) : { kind: "omitted", contentType, bytes, why: "media" };
  }

  /** The answer is a stream of this type. */
  beginStream(contentType: string): void {
    this.#contentType = contentType;
    this.#isTextStream = isText(contentType);
  }

  /** A piece of a streamed answer, which is copied: it may be a part of much more memory. */
  addPiece(piece: Uint8Array): void {
    this.#answerBytes += piece.length;
    if (this.#isOver || this.#isCut || !this.#isTextStream) return;
    const room = Math.min(streamFactor * this.policy.maxBodyBytes, maxLookedAt);
    this.#isCut = this.#answerBytes > room || !this.#hold(piece.length);
    if (!this.#isCut) this.#pieces.push(piece);
  }

  /** The answer, as far as there was one. */
  answer(): RawBody {
    if (this.#answer !== null) return this.#answer;
    const contentType = this.#contentType;
    const bytes = this.#answerBytes;
    if (contentType !== "" && !isText(contentType)) return { kind: "omitted", contentType, bytes, why: "media" };
    return { kind: "bytes", contentType, pieces: this.#pieces.all(), bytes };
  }

  get isStreamed(): boolean {
    return this.#contentType !== "";
  }

  /** Gives its memory back, and takes nothing more. */
  release(): void {
    this.#isOver = true;
    this.#memory.release(this.#heldBytes);
    this.#heldBytes = 0;
  }

  #bounded(body: RawBody): RawBody {
    if (body.kind === "omitted") return body;
    const contentType = body.kind === "form" ? formType : body.contentType;
    const bytes = body.kind === "form" ? sizeOf(body.parts) : body.kind === "text" ? body.text.length : body.bytes;
    if (bytes > maxLookedAt) return { kind: "omitted", contentType, bytes, why: "too_large" };
    return this.#hold(bytes) ? body : { kind: "omitted", contentType, bytes, why: "overloaded" };
  }

  #hold(bytes: number): boolean {
    if (!this.#memory.hold(bytes)) return false;
    this.#heldBytes += bytes;
    return true;
  }
}

/** What each part takes besides its texts. */
const partSize = 100;

/** What a form takes in memory: the texts in it, which are its fields and the names of its files. */
function sizeOf(parts: readonly RawPart[]): number {
  return parts.reduce(
    (sum, { name, value, file }) => sum + partSize + name.length + (value?.length ?? 0) + (file?.filename.length ?? 0),
    0,
  );
}

function rawRequest(request: RequestBody): RawBody {
  if (request.kind === "json") return { kind: "text", contentType: "application/json", text: request.text };
  if (request.kind === "none") return { kind: "text", contentType: "", text: "" };
  const { form } = request;
  const parts = form.allParts.map((part) =>
    part.kind === "field"
      ? { name: part.name, value: part.value, file: null }
      : {
          name: part.name,
          value: null,
          file: { filename: part.file.filename, content_type: part.file.contentType, bytes: part.file.size },
        },
  );
  return { kind: "form", parts };
}

import { Dicer } from "@fastify/busboy";
import type { Scratch } from "../blobs/scratch.ts";
import { GatewayError } from "../errors.ts";
import { FileWriter } from "./file-writer.ts";
import { createForm, type FormPart, type MultipartForm } from "./form.ts";
import { invalidForm, type PartHeader, type PartHeaderLines, readPartHeader } from "./part-header.ts";

/** Bounds of a form, in bytes. */
export interface FormLimits {
  /** Of one file. */
  readonly maxFileBytes: number;
}

const maxParts = 64;
const maxFieldBytes = 256 << 10;
/** Of all fields together. */
const maxFieldsBytes = 1 << 20;
/** Files that are larger than this, alone or together, go to scratch files. */
const maxBytesInMemory = 1 << 20;
/** Above this, no more is read before some has been written. */
const manyHeldBytes = 2 << 20;

/** What the parser tells while it reads. */
export interface FormListener {
  /** The form is complete, or it cannot be read. Nothing follows. */
  onForm(form: MultipartForm): void;
  onFailure(error: unknown): void;
  /** Whether it holds so much that no more should be given to it for now. */
  onCongested(isCongested: boolean): void;
}

/** A part that is being read. */
interface OpenPart {
  readonly header: PartHeader;
  readonly writer: FileWriter | null;
  readonly pieces: Uint8Array[];
  size: number;
}

type PartStream = Dicer.PartStream;

/** Reads a multipart body as it comes. Large files go to scratch files, which `dispose` removes. */
export class FormParser {
  readonly #limits: FormLimits;
  readonly #scratch: Scratch;
  readonly #listener: FormListener;
  readonly #dicer: Dicer;
  /** In the order of their beginnings. */
  readonly #parts: OpenPart[] = [];
  readonly #writers: FileWriter[] = [];
  /** Parts that have begun, parts whose header was read, and parts that have not ended. */
  #begun = 0;
  #headed = 0;
  #open = 0;
  #held = 0;
  #fieldBytes = 0;
  #isCongested = false;
  /** Whether the boundary that ends the form has come, and whether all of the body has. */
  #hasEnded = false;
  #isGiven = false;
  #isFinishing = false;
  #isOver = false;

  /** @param boundary as the content type has it */
  constructor(boundary: string, limits: FormLimits, scratch: Scratch, listener: FormListener) {
    this.#limits = limits;
    this.#scratch = scratch;
    this.#listener = listener;
    this.#dicer = new Dicer({ boundary, maxHeaderPairs: 32 });
    this.#dicer.on("part", (part) => this.#begin(part));
    this.#dicer.on("error", () => this.#fail(invalidForm("The form breaks off before the boundary that ends it.")));
    this.#dicer.on("finish", () => {
      this.#hasEnded = true;
      this.#completeIfAll();
    });
  }

  write(bytes: Uint8Array): void {
    // What comes after the last boundary means nothing.
    if (this.#isOver || !this.#dicer.writable) return;
    try {
      this.#dicer.write(bytes);
    } catch (error) {
      this.#fail(error);
    }
  }

  end(): void {
    if (this.#isOver) return;
    this.#isGiven = true;
    if (this.#dicer.writable) this.#dicer.end();
    this.#completeIfAll();
  }

  /** Reads no more, and removes what was written. */
  async dispose(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#writers.map((writer) => writer.dispose()));
  }

  #begin(stream: PartStream): void {
    // Its own end is told by the parser's.
    stream.on("error", () => undefined);
    this.#begun++;
    // Thrown through the parser, which would go on to the end of what it was given.
    if (this.#begun > maxParts) throw invalidForm(`The form has more than ${maxParts} parts.`);
    stream.on("header", (lines) => {
      this.#headed++;
      this.#open++;
      const part = this.#openPart(lines as PartHeaderLines);
      stream.on("data", (bytes: Uint8Array) => {
        if (!this.#isOver) this.#take(part, bytes);
      });
      stream.on("end", () => {
        this.#open--;
        this.#completeIfAll();
      });
    });
  }

  #openPart(lines: PartHeaderLines): OpenPart {
    const header = readPartHeader(lines);
    const part = { header, writer: header.filename === null ? null : this.#newWriter(), pieces: [], size: 0 };
    this.#parts.push(part);
    return part;
  }

  #newWriter(): FileWriter {
    const writer = new FileWriter({
      scratch: this.#scratch,
      onHeld: (change) => this.#hold(change),
      onFailure: (error) => this.#fail(error),
    });
    this.#writers.push(writer);
    return writer;
  }

  #take(part: OpenPart, bytes: Uint8Array): void {
    part.size += bytes.length;
    const { name } = part.header;
    if (part.writer !== null) {
      if (part.size > this.#limits.maxFileBytes) {
        this.#fail(fileTooLarge(name, this.#limits.maxFileBytes));
        return;
      }
      part.writer.write(bytes);
      return;
    }
    this.#fieldBytes += bytes.length;
    if (part.size > maxFieldBytes || this.#fieldBytes > maxFieldsBytes) {
      const message =
        part.size > maxFieldBytes
          ? `The field '${name}' is larger than ${maxFieldBytes} bytes.`
          : `The fields of the form are larger than ${maxFieldsBytes} bytes together.`;
      this.#fail(GatewayError.of("body_too_large", message, { param: name }));
    } else part.pieces.push(Buffer.from(bytes));
  }

  #hold(change: number): boolean {
    this.#held += change;
    const isCongested = this.#held > manyHeldBytes;
    if (isCongested !== this.#isCongested && !this.#isOver) {
      this.#isCongested = isCongested;
      this.#listener.onCongested(isCongested);
    }
    return this.#held > maxBytesInMemory;
  }

  #completeIfAll(): void {
    if (!this.#isGiven || !this.#hasEnded || this.#open > 0 || this.#isFinishing || this.#isOver) return;
    if (this.#headed < this.#begun || this.#parts.length === 0) {
      this.#fail(invalidForm(this.#begun === 0 ? "The form has no parts." : "A part of the form has no header."));
      return;
    }
    this.#isFinishing = true;
    Promise.all(this.#parts.map(finishPart)).then(
      (parts) => {
        if (this.#isOver) return;
        this.#isOver = true;
        this.#listener.onForm(createForm(parts));
      },
      (error: unknown) => this.#fail(error),
    );
  }

  #fail(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#listener.onFailure(error);
  }
}

async function finishPart({ header, writer, pieces }: OpenPart): Promise<FormPart> {
  const { name, writtenName, filename } = header;
  if (writer !== null) return { kind: "file", name, file: await writer.finish(filename ?? "file") };
  try {
    const value = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(pieces));
    return { kind: "field", name, writtenName, value };
  } catch {
    throw invalidForm(`The field '${name}' is not valid UTF-8.`, name);
  }
}

/** 413: a file is larger than the limit, given in bytes. */
export function fileTooLarge(param: string, limitBytes: number): GatewayError {
  return GatewayError.of("body_too_large", `The file '${param}' is larger than ${limitBytes} bytes.`, { param });
}

/** The boundary of a content type. Throws a 400 if it has none, or one that cannot be. */
export function readBoundary(contentType: string): string {
  const [, quoted, bare] = /;\s*boundary\s*=\s*(?:"([^"]*)"|([^\s;"]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? bare ?? "";
  if (/^[\x20-\x7e]{1,70}$/.test(boundary) && !boundary.endsWith(" ")) return boundary;
  throw invalidForm("The content type has no 'boundary' of 1 to 70 characters.", "Content-Type");
}

import type { StreamedBody } from "../../../http/request-body.ts";

/** The destination of a streamed body. */
export interface PieceSink {
  /** Returns whether all was taken; if not, `drained` is called once it has been. */
  write(bytes: Uint8Array): boolean;
  bodySent(): void;
  bodyFailed(reason: string): void;
}

/** The framing headers of a streamed body, with the empty line that ends the head. */
export function streamFraming({ length }: StreamedBody): string {
  return length === null ? "transfer-encoding: chunked\r\n\r\n" : `content-length: ${length}\r\n\r\n`;
}

/** Writes a body piece by piece, and reads no piece before the last one has been taken. */
export class BodyPump {
  readonly #sink: PieceSink;
  #stopped = false;
  #onDrained: (() => void) | null = null;

  constructor(sink: PieceSink, body: StreamedBody) {
    this.#sink = sink;
    void this.#pump(body);
  }

  /** The sink takes pieces again. */
  drained(): void {
    const wake = this.#onDrained;
    this.#onDrained = null;
    wake?.();
  }

  /** Reads no more. */
  stop(): void {
    this.#stopped = true;
    this.drained();
  }

  async #pump({ length, pieces }: StreamedBody): Promise<void> {
    try {
      let sent = 0;
      // Bytes that `begin` could not write go first.
      await this.#write(new Uint8Array(0));
      for await (const piece of pieces) {
        if (this.#stopped) return;
        sent += piece.length;
        if (length !== null && sent > length)
          throw new Error(`it is longer than the ${length} bytes that were announced`);
        if (piece.length > 0) await this.#write(length === null ? chunk(piece) : piece);
        if (this.#stopped) return;
      }
      if (length !== null && sent < length)
        throw new Error(`it is shorter than the ${length} bytes that were announced`);
      if (length === null) await this.#write(Buffer.from("0\r\n\r\n"));
      if (!this.#stopped) this.#sink.bodySent();
    } catch (error) {
      if (!this.#stopped) this.#sink.bodyFailed(error instanceof Error ? error.message : String(error));
    }
  }

  /** Resolves when the bytes have been taken. */
  async #write(bytes: Uint8Array): Promise<void> {
    if (this.#stopped || this.#sink.write(bytes)) return;
    await new Promise<void>((resolve) => {
      this.#onDrained = resolve;
      if (this.#stopped) resolve();
    });
  }
}

function chunk(piece: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n")]);
}

import type { StreamedBody } from "../../http/request-body.ts";
import type { ImageContent } from "../../operations/images/images.ts";
import { markOf, splitAtMarks } from "./marks.ts";

/** A JSON body with contents in base64, which are read and encoded while it is sent. */
export class JsonWithContents {
  readonly #contents: ImageContent[] = [];

  /** What stands for a content within a string of the value. */
  place(content: ImageContent): string {
    return markOf(this.#contents.push(content) - 1);
  }

  /** @param texts what an error of the provider may quote */
  body(value: unknown, texts: string): StreamedBody {
    const parts = splitAtMarks(JSON.stringify(value)).map((part) =>
      typeof part === "string" ? Buffer.from(part) : (this.#contents[part] ?? Buffer.alloc(0)),
    );
    async function* pieces(): AsyncGenerator<Uint8Array> {
      for (const part of parts) {
        if (part instanceof Uint8Array) yield part;
        else yield* encoded(part.stream());
      }
    }
    return {
      length: parts.reduce((sum, part) => sum + lengthOf(part), 0),
      pieces: { [Symbol.asyncIterator]: pieces },
      texts,
    };
  }
}

function lengthOf(part: Uint8Array | ImageContent): number {
  return part instanceof Uint8Array ? part.length : Math.ceil(part.size / 3) * 4;
}

/** Pieces of any length in base64, three bytes at a time. */
async function* encoded(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let rest: Uint8Array = new Uint8Array(0);
  for await (const piece of pieces) {
    const bytes =
      rest.length === 0 ? Buffer.from(piece.buffer, piece.byteOffset, piece.length) : Buffer.concat([rest, piece]);
    const whole = bytes.length - (bytes.length % 3);
    rest = Buffer.from(bytes.subarray(whole));
    if (whole > 0) yield Buffer.from(bytes.toString("base64", 0, whole), "latin1");
  }
  if (rest.length > 0) yield Buffer.from(Buffer.from(rest).toString("base64"), "latin1");
}

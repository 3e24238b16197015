import type { ReportedUsage } from "../../../conversation/usage.ts";
import { parseShared } from "../../../json/parse-shared.ts";
import { isObject, type JsonObject, stringOrNull } from "../../../json/values.ts";
import type { ImagesRequest } from "../../../operations/images/images.ts";
import { dataEvent, readFields, type SseEvent, sseComment, sseContentType } from "../../../sse/event.ts";
import { isBase64 } from "../../pictures/base64-bytes.ts";
import { checkPictureBase64 } from "../../pictures/check-picture.ts";
import { failImageEvents } from "../../pictures/picture-events.ts";
import { checkStructure } from "../../exchanges/bounded-json.ts";
import { type EventStream, framedStream, joined } from "../../exchanges/event-reader.ts";
import { AnswerFault, type AnswerStream, type Observation, type ObservedImage } from "../../exchange.ts";
import { readError } from "../errors.ts";
import { qualityOf, readImagesUsage, sizeOf } from "./read-answer.ts";

/** A large PNG in base64, in bytes. */
const maxEventBytes = 32 << 20;

/** Passes on the events of images as they come, and holds the last one until the record is durable. */
export function openImageEvents(request: ImagesRequest): AnswerStream {
  return framedStream(new ImageEvents(request), maxEventBytes);
}

class ImageEvents implements EventStream, Observation {
  readonly #request: ImagesRequest;
  /** The last event of an image that is complete. */
  #held: Uint8Array | null = null;
  #partial: ObservedImage | null = null;
  readonly #completed: ObservedImage[] = [];
  readonly contentType = sseContentType;
  readonly keepAlive = sseComment;
  readonly responseId = null;
  readonly observation: Observation = this;
  readonly fail = failImageEvents;
  usage: ReportedUsage | null = null;
  started = false;
  finished = false;

  constructor(request: ImagesRequest) {
    this.#request = request;
  }

  /** A caller who leaves with a partial image has had one. */
  get images(): readonly ObservedImage[] {
    return this.#completed.length > 0 || this.#partial === null ? this.#completed : [this.#partial];
  }

  producedText(): string {
    return "";
  }

  push({ bytes }: SseEvent): Uint8Array | null {
    checkStructure(bytes);
    const { event, data } = readFields({ bytes });
    if (data === null) return bytes;
    if (data === "[DONE]") {
      this.end();
      this.finished = true;
      return null;
    }
    const read = parse(data);
    const error = event === "error" || isObject(read.error) ? readError(read) : null;
    if (error !== null || event === "error") throw new AnswerFault("The provider reported an error.", error);
    const { kind, n } = this.#request;
    if (read.type !== `${kind}.completed`) {
      if (read.type === `${kind}.partial_image`) {
        this.#partial = this.#look(read);
        this.started = true;
      }
      return this.#afterHeld(withoutAddress(read, bytes));
    }
    this.#completed.push(this.#look(read));
    if (!isBase64(String(read.b64_json))) throw new AnswerFault("An image of the provider is not valid base64.");
    this.started = true;
    this.usage = readImagesUsage(read.usage) ?? this.usage;
    const before = this.#held;
    this.#held = withoutAddress(read, bytes);
    this.finished = this.#completed.length >= n;
    return before;
  }

  end(): null {
    if (this.#completed.length === 0) throw new AnswerFault("The provider's stream ended without a complete image.");
    return null;
  }

  terminator(): Uint8Array | null {
    return this.#held;
  }

  #afterHeld(bytes: Uint8Array): Uint8Array | null {
    const held = this.#held;
    this.#held = null;
    return joined(held === null ? [bytes] : [held, bytes]);
  }

  #look(event: JsonObject): ObservedImage {
    const base64 = event.b64_json;
    if (typeof base64 !== "string") throw new AnswerFault("An event of the provider has no image.");
    const { pixels } = checkPictureBase64(Buffer.from(base64, "latin1"), this.#request.outputFormat === "svg");
    const told = sizeOf(stringOrNull(event.size));
    const measured = pixels && `${pixels.width}x${pixels.height}`;
    return { size: told ?? measured, quality: qualityOf(event.quality), isMeasured: told === null };
  }
}

/** The bytes of an event. An address beside its image would tell the provider. */
function withoutAddress({ url, ...others }: JsonObject, bytes: Uint8Array): Uint8Array {
  return url === undefined ? bytes : dataEvent(JSON.stringify(others));
}

function parse(data: string): JsonObject {
  let read: unknown;
  try {
    read = parseShared(data);
  } catch {
    throw new AnswerFault("An event of the provider is not valid JSON.");
  }
  if (!isObject(read)) throw new AnswerFault("An event of the provider is not an object.");
  return read;
}

import type { ReportedUsage } from "../../../conversation/usage.ts";
import { type JsonObject, stringOrNull } from "../../../json/values.ts";
import type { ImagesRequest } from "../../../operations/images/images.ts";
import { dataEvent, type SseEvent, sseComment, sseContentType } from "../../../sse/event.ts";
import { isBase64 } from "../../pictures/base64-bytes.ts";
import { checkPictureBase64 } from "../../pictures/check-picture.ts";
import { failImageEvents } from "../../pictures/picture-events.ts";
import { type EventStream, framedStream, joined } from "../../exchanges/event-reader.ts";
import { AnswerFault, type AnswerStream, type Observation, type ObservedImage } from "../../exchange.ts";
import { type KnownShape, knownEvent, readMediaEvent } from "../media-event.ts";
import { qualityOf, readImagesUsage, sizeOf } from "./read-answer.ts";

/** A large PNG in base64, in bytes. */
const maxEventBytes = 32 << 20;

/**
 * Passes on the events of images as they come, and holds the last one until the record is durable.
 * @param isHidden events and fields that OpenAI does not have are left out, and so are comments: they may tell the provider
 */
export function openImageEvents(request: ImagesRequest, isHidden: boolean): AnswerStream {
  return framedStream(new ImageEvents(request, isHidden), maxEventBytes);
}

const partialImage: KnownShape = {
  type: "string",
  b64_json: "string",
  created_at: "number",
  size: "string",
  quality: "string",
  background: "string",
  output_format: "string",
  partial_image_index: "number",
};
const completed: KnownShape = {
  ...partialImage,
  usage: {
    total_tokens: "number",
    input_tokens: "number",
    output_tokens: "number",
    input_tokens_details: { text_tokens: "number", image_tokens: "number" },
    output_tokens_details: { text_tokens: "number", image_tokens: "number" },
  },
};

/** OpenAI's events. */
const shapes: Readonly<Record<string, KnownShape>> = {
  "image_generation.partial_image": partialImage,
  "image_generation.completed": completed,
  "image_edit.partial_image": partialImage,
  "image_edit.completed": completed,
};

class ImageEvents implements EventStream, Observation {
  readonly #request: ImagesRequest;
  readonly #isHidden: boolean;
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

  constructor(request: ImagesRequest, isHidden: boolean) {
    this.#request = request;
    this.#isHidden = isHidden;
  }

  /** A caller who leaves with a partial image has had one. */
  get images(): readonly ObservedImage[] {
    return this.#completed.length > 0 || this.#partial === null ? this.#completed : [this.#partial];
  }

  producedText(): string {
    return "";
  }

  push({ bytes }: SseEvent): Uint8Array | null {
    const read = readMediaEvent({ bytes });
    if (read === "comment") return this.#isHidden ? null : bytes;
    if (read === "done") {
      this.end();
      this.finished = true;
      return null;
    }
    const { kind, n } = this.#request;
    if (read.type !== `${kind}.completed`) {
      if (read.type === `${kind}.partial_image`) {
        this.#partial = this.#look(read);
        this.started = true;
      }
      return this.#afterHeld(this.#shown(read, bytes));
    }
    this.#completed.push(this.#look(read));
    if (!isBase64(String(read.b64_json))) throw new AnswerFault("An image of the provider is not valid base64.");
    this.started = true;
    this.usage = readImagesUsage(read.usage) ?? this.usage;
    const before = this.#held;
    this.#held = this.#shown(read, bytes);
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

  /** The bytes of an event. An address beside its image would tell the provider. */
  #shown(event: JsonObject, bytes: Uint8Array): Uint8Array | null {
    if (this.#isHidden) return knownEvent(event, shapes);
    const { url, ...others } = event;
    return url === undefined ? bytes : dataEvent(JSON.stringify(others));
  }

  #afterHeld(bytes: Uint8Array | null): Uint8Array | null {
    if (bytes === null) return null;
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

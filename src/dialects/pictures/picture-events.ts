import type { GatewayError } from "../../errors.ts";
import { errorEnvelope } from "../../errors.ts";
import type { ImagesAnswer, ImagesRequest } from "../../operations/images/images.ts";
import { sseComment, sseContentType } from "../../sse/event.ts";
import type { AnswerStream } from "../exchange.ts";
import type { FinishedPicture } from "./finish-pictures.ts";
import { factsOf, observationOf, writeImagesUsage } from "./picture-answer.ts";
import { joinedInSteps, JsonWithStrings } from "./write-answer.ts";

const encoder = new TextEncoder();

/** An error within a stream of images, as OpenAI has it: nothing follows it. */
export function failImageEvents(error: GatewayError, requestId: string): Uint8Array {
  const data = JSON.stringify({ type: "error", ...errorEnvelope(error, requestId) });
  return encoder.encode(`event: error\ndata: ${data}\n\n`);
}

/** A whole answer as OpenAI's events, one for each image. The last one is held until the record is durable. */
export async function picturesAsEvents(
  request: ImagesRequest,
  answer: ImagesAnswer,
  pictures: readonly FinishedPicture[],
): Promise<{ readonly bytes: Uint8Array; readonly stream: AnswerStream }> {
  const events: Uint8Array[] = [];
  for (const [index, picture] of pictures.entries()) {
    const isLast = index === pictures.length - 1;
    events.push(await joinedInSteps(eventOf(request, answer, picture, isLast)));
  }
  const last = events.pop() ?? null;
  const stream: AnswerStream = {
    contentType: sseContentType,
    keepAlive: sseComment,
    started: true,
    finished: true,
    fault: null,
    observation: observationOf(answer.usage, pictures),
    push: () => null,
    end: () => null,
    terminator: () => last,
    fail: failImageEvents,
  };
  return { bytes: await joinedInSteps(events), stream };
}

function eventOf(
  request: ImagesRequest,
  answer: ImagesAnswer,
  picture: FinishedPicture,
  isLast: boolean,
): Uint8Array[] {
  const type = `${request.kind}.completed`;
  const json = new JsonWithStrings();
  const { given } = picture;
  const { usage: _usage, ...facts } = factsOf(request, answer, [picture]);
  const event = {
    type,
    b64_json: given.type === "base64" ? json.place(given.base64) : "",
    created_at: answer.created ?? Math.floor(Date.now() / 1_000),
    size: "auto",
    quality: "auto",
    background: "auto",
    output_format: "png",
    ...facts,
    // Of all images together, since providers report no other.
    ...(isLast && answer.usage && { usage: writeImagesUsage(answer.usage) }),
  };
  return [encoder.encode(`event: ${type}\ndata: `), ...json.pieces(event), encoder.encode("\n\n")];
}

import type { ImagesCall, ImagesRequest } from "../../operations/images/images.ts";
import type { MediaTools } from "../../operations/images/media-tools.ts";
import type { Target } from "../../routing/names/model.ts";
import { sseContentType } from "../../sse/event.ts";
import { AnswerFault, type AnswerRoom, type AnswerStream, type Exchange } from "../exchange.ts";
import { wholeOnly } from "../exchanges/whole-only.ts";
import { finishPictures } from "./finish-pictures.ts";
import { writePictures } from "./picture-answer.ts";
import { picturesAsEvents } from "./picture-events.ts";

/** Memory that an answer may take, in bytes: a large PNG in base64 for each image, up to a bound for all. */
const maxBytesPerImage = 24 << 20;
const maxAnswerBytes = 96 << 20;

/** The answer of a provider that has no streams, and sends one all the same. */
function refuseStream(): AnswerStream {
  return {
    contentType: sseContentType,
    keepAlive: null,
    started: false,
    finished: false,
    fault: new AnswerFault("The provider answered with a stream that it was not asked for."),
    observation: { responseId: null, usage: null, producedText: () => "" },
    push: () => null,
    end: () => null,
    terminator: () => null,
    fail: () => null,
  };
}

/** How a call of a provider half answers its caller. */
export function imagesExchangeOf(
  call: ImagesCall,
  request: ImagesRequest,
  { provider }: Target,
  { media }: { readonly media: MediaTools },
): Exchange {
  const finish = async (body: Uint8Array, room: AnswerRoom) => {
    const answer = await call.read(body);
    return { answer, pictures: await finishPictures(request, answer, { media, room, providerUrl: provider.baseUrl }) };
  };
  const notAtOnce = () => {
    throw new Error("Images are read in steps.");
  };
  const { request: upstreamRequest, calls, steps, warnings, readError, readStatus, openStream } = call;
  return {
    ...wholeOnly({
      request: upstreamRequest,
      ...(calls && { calls }),
      ...(steps && { steps }),
      warnings,
      readError,
      ...(readStatus && { readStatus }),
      maxAnswerBytes: call.maxAnswerBytes ?? Math.min(maxAnswerBytes, request.n * maxBytesPerImage),
      readWhole: notAtOnce,
      async readLarge(body, room) {
        const { answer, pictures } = await finish(body, room);
        return writePictures(request, answer, pictures, media);
      },
    }),
    isReadInSteps: true,
    async streamLarge(body, room) {
      const { answer, pictures } = await finish(body, room);
      return picturesAsEvents(request, answer, pictures);
    },
    openStream: () => openStream?.(media.hideProvider) ?? refuseStream(),
  };
}

import type { ImagesAnswer, ImagesRequest, MadeImage } from "../../operations/images/images.ts";
import type { KeptBytes, MediaTools } from "../../operations/images/media-tools.ts";
import { AnswerFault, type AnswerRoom, type ObservedImage } from "../exchange.ts";
import { base64Pieces, decodedLength, encodeBase64, standardBase64 } from "./base64-bytes.ts";
import { checkPictureBase64, checkPictureBytes, type CheckedPicture } from "./check-picture.ts";

/** An image as the caller is given it. */
export interface FinishedPicture {
  readonly made: MadeImage;
  readonly given:
    | { readonly type: "base64"; readonly base64: Uint8Array }
    | { readonly type: "url"; readonly url: string };
  /** Neither encoded nor replaced by a link: as the provider gave it. */
  readonly isUntouched: boolean;
  /** Null if the gateway has not seen it. */
  readonly checked: CheckedPicture | null;
  readonly observed: ObservedImage;
  /** What has to be kept for the caller's link. */
  readonly kept: { readonly token: string; readonly content: KeptBytes } | null;
}

/** What images are finished with. */
export interface PictureTools {
  readonly media: MediaTools;
  /** For what is fetched. */
  readonly room: AnswerRoom;
  /** The provider's own address. */
  readonly providerUrl: string;
}

/** Of one image that is fetched, and of all that an answer leads to, in bytes. */
const maxFetchedBytes = 32 << 20;
const maxFetchedTogether = 96 << 20;

/**
 * Gives the images of an answer the form that the caller asks for: base64 that it wants as a link is kept, and what it wants in base64 is
 * fetched. Images beyond those that were asked for are left out. Throws an `AnswerFault` if one is no image, or cannot be fetched.
 */
export async function finishPictures(
  request: ImagesRequest,
  answer: ImagesAnswer,
  tools: PictureTools,
): Promise<FinishedPicture[]> {
  if (answer.images.length === 0) throw noImage(answer.whyEmpty ?? null);
  const finished: FinishedPicture[] = [];
  // One after the other, so that one image more than the answer is held at a time.
  let fetchedBytes = 0;
  const fetchBytes = async (url: string) => {
    const bytes = await fetchPicture(url, tools, Math.min(maxFetchedBytes, maxFetchedTogether - fetchedBytes));
    fetchedBytes += bytes.length;
    return bytes;
  };
  for (const made of answer.images.slice(0, request.n)) {
    finished.push(await finishPicture(request, answer, made, tools, fetchBytes));
  }
  return finished;
}

function noImage(why: string | null): AnswerFault {
  if (why === null) return new AnswerFault("The answer has no image.");
  const word = why.slice(0, 64);
  const message = `No image was made (${word}).`;
  return new AnswerFault(message, { message, type: null, code: word, param: null });
}

async function finishPicture(
  request: ImagesRequest,
  { quality }: ImagesAnswer,
  made: MadeImage,
  tools: PictureTools,
  fetchBytes: (url: string) => Promise<Uint8Array>,
): Promise<FinishedPicture> {
  const wanted = request.stream ? "b64_json" : request.responseFormat;
  const mayBeSvg = request.outputFormat === "svg";
  const observedOf = (checked: CheckedPicture | null): ObservedImage => {
    const { pixels } = checked ?? { pixels: null };
    const measured = pixels && `${pixels.width}x${pixels.height}`;
    const asked = request.pixels === null ? null : (request.size ?? null);
    return { size: made.size ?? measured ?? asked, quality, isMeasured: made.size === null };
  };
  const { content } = made;
  if (content.type === "base64") {
    const base64 = await standardBase64(content.base64);
    if (base64 === null) throw new AnswerFault("An image of the answer is not valid base64.");
    const checked = checkPictureBase64(base64, mayBeSvg);
    const common = { made, checked, observed: observedOf(checked) };
    if (wanted !== "url") {
      return { ...common, given: { type: "base64", base64 }, isUntouched: base64 === content.base64, kept: null };
    }
    return {
      ...common,
      ...asLink(request, { size: decodedLength(base64), stream: () => base64Pieces(base64) }, tools),
    };
  }
  if (wanted !== "b64_json" && !tools.media.hideProvider) {
    if (!/^https?:\/\//i.test(content.url))
      throw new AnswerFault("An image of the answer has an address that is none.");
    return { made, given: content, isUntouched: true, checked: null, observed: observedOf(null), kept: null };
  }
  const bytes = await fetchBytes(content.url);
  const checked = checkPictureBytes(bytes, mayBeSvg);
  const common = { made, checked, observed: observedOf(checked) };
  if (wanted === "b64_json") {
    const base64 = await encodeBase64(bytes);
    await tools.room.take(base64.length - bytes.length);
    return { ...common, given: { type: "base64", base64 }, isUntouched: false, kept: null };
  }
  return { ...common, ...asLink(request, { size: bytes.length, stream: () => once(bytes) }, tools) };
}

function asLink({ origin }: ImagesRequest, content: KeptBytes, { media }: PictureTools) {
  const { token, path } = media.links.create();
  return { given: { type: "url", url: `${origin}${path}` }, isUntouched: false, kept: { token, content } } as const;
}

async function fetchPicture(
  url: string,
  { media, providerUrl, room }: PictureTools,
  maxBytes: number,
): Promise<Uint8Array> {
  try {
    return await media.fetchMade(url, providerUrl, maxBytes, (bytes) => room.take(bytes));
  } catch (error) {
    throw new AnswerFault(
      `An image of the answer could not be fetched: ${error instanceof Error ? error.message : "no reason"}.`,
    );
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

import { sniffContentType, sniffedBytes } from "../http/sniff-content-type.ts";
import type { Answer } from "../pipeline/answer.ts";
import { attachmentHeaders, contentAnswer, inlineHeaders } from "./content-answer.ts";
import type { Visit } from "./visit.ts";

/** Types that a browser may show, by the extension of their files. It runs no scripts of these. */
const shown: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/webp": "webp",
  "image/gif": "gif",
  "image/avif": "avif",
};

/** `GET /v1/media/{id}`: an image behind a link, or a range of it. It needs no key. */
export async function linkedMedia({ services, request, id }: Visit): Promise<Answer> {
  const { links } = services;
  const { key, size } = await links.find(id);
  const contentType = sniffContentType(await beginning(links.read(key, 0, Math.min(size, sniffedBytes))));
  const extension = shown[contentType];
  const headers =
    extension === undefined
      ? attachmentHeaders("application/octet-stream", "image")
      : inlineHeaders(contentType, `image.${extension}`);
  return contentAnswer(request, {
    key,
    size,
    headers: { ...headers, "cache-control": "private, max-age=3600" },
    read: (start, end) => links.read(key, start, end),
  });
}

async function beginning(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  return Buffer.concat(await Array.fromAsync(pieces));
}

import type { ReportedUsage } from "../../../conversation/usage.ts";
import { isObject, type JsonObject, stringOrNull } from "../../../json/values.ts";
import type { ImagesAnswer, MadeContent, MadeImage } from "../../../operations/images/images.ts";
import { AnswerFault } from "../../exchange.ts";
import { inputQuantities, readCount, readOpenaiParts, reportOf } from "../../fields/read-count.ts";
import { type CutAnswer, readCutAnswer } from "../../pictures/cut-strings.ts";
import { readError } from "../errors.ts";

/** Reads `{created, data: [{b64_json | url}], usage}`. Rejects with an `AnswerFault` if it is none. */
export async function readImagesAnswer(bytes: Uint8Array): Promise<ImagesAnswer> {
  const cut = await readCutAnswer(bytes);
  const { value } = cut;
  const error = readError(value);
  if (error !== null) throw new AnswerFault("The provider reported an error in place of an answer.", error);
  if (!isObject(value)) throw new AnswerFault("The answer is not an object.");
  const { data, ...others } = value;
  if (!Array.isArray(data)) throw new AnswerFault("The answer has no list of images.");
  const members = cut.restored(others);
  const size = stringOrNull(members.size);
  const read = data.filter(isObject).flatMap((found) => {
    const content = contentOf(found, cut);
    const { b64_json: _base64, url: _url, ...item } = found;
    return content === null ? [] : [{ item: cut.restored(item), content }];
  });
  return {
    created: readCount(members.created),
    images: read.map(({ item, content }): MadeImage => {
      return { content: content.made, revisedPrompt: stringOrNull(item.revised_prompt), size: sizeOf(size) };
    }),
    quality: qualityOf(members.quality),
    usage: readImagesUsage(members.usage),
    openai: {
      members,
      data: read.map(({ item }) => item),
      bytes: read.some(({ content }) => content.isRewritten) ? null : bytes,
    },
  };
}

/** What an item of the answer holds; null if nothing. */
function contentOf(
  { b64_json: base64, url }: JsonObject,
  cut: CutAnswer,
): { readonly made: MadeContent; readonly isRewritten: boolean } | null {
  const given = cut.bytesOf(base64);
  // An address beside the bytes is not passed on.
  const isMixed = typeof url === "string";
  if (given !== null && given.length > 0) return { made: { type: "base64", base64: given }, isRewritten: isMixed };
  const address = cut.bytesOf(url);
  if (address === null || address.length === 0) return null;
  const inData = dataOf(address);
  if (inData !== null) return { made: { type: "base64", base64: inData }, isRewritten: true };
  return { made: { type: "url", url: Buffer.from(address.subarray(0, 16_384)).toString() }, isRewritten: false };
}

/** The base64 of a `data:` address; null if it is another. */
function dataOf(address: Uint8Array): Uint8Array | null {
  const start = Buffer.from(address.subarray(0, 256)).toString("latin1");
  const head = /^data:[^,]*;base64,/i.exec(start);
  return head === null ? null : address.subarray(head[0].length);
}

/** A size in words of the provider's that tell none is to be measured. */
export function sizeOf(size: string | null): string | null {
  return size !== null && /^\d{1,5}x\d{1,5}$/.test(size) ? size : null;
}

export function qualityOf(quality: unknown): string | null {
  return typeof quality === "string" && quality !== "auto" && /^[\w.-]{1,64}$/.test(quality) ? quality : null;
}

/** Reads `{input_tokens, output_tokens}` with the kinds of tokens among them; null if it is no object. */
export function readImagesUsage(raw: unknown): ReportedUsage | null {
  if (!isObject(raw)) return null;
  const input = readCount(raw.input_tokens);
  const output = readCount(raw.output_tokens);
  return reportOf({
    input: input === null ? null : inputQuantities(input, 0, 0),
    output,
    reasoning: null,
    parts: readOpenaiParts(raw.input_tokens_details, raw.output_tokens_details),
    raw,
  });
}

import type { ReportedUsage } from "../../../conversation/usage.ts";
import { addQuantity, dimensionNames, type MutableQuantities, type Quantities } from "../../../dimensions.ts";
import { isObject, type JsonObject, listOrEmpty, stringOrNull } from "../../../json/values.ts";
import type { ImagesAnswer, MadeImage } from "../../../operations/images/images.ts";
import { AnswerFault } from "../../exchange.ts";
import { type CutAnswer, readCutAnswer } from "../../pictures/cut-strings.ts";
import { readGeminiError } from "../errors.ts";
import { readGeminiUsage } from "../usage.ts";

/** Reads `:generateContent` answers, each with one image at most. Rejects with an `AnswerFault` if none is an answer. */
export async function readGenerated(bodies: readonly Uint8Array[]): Promise<ImagesAnswer> {
  const images: MadeImage[] = [];
  const usages: ReportedUsage[] = [];
  let whyEmpty: string | null = null;
  let fault: unknown = new AnswerFault("The answer is empty.");
  let answers = 0;
  for (const body of bodies) {
    try {
      const { answer, cut } = await readAnswer(body);
      answers++;
      const image = findImage(answer, cut);
      if (image === null) whyEmpty ??= reasonOf(answer);
      else images.push(image);
      const usage = readGeminiUsage(answer.usageMetadata);
      if (usage !== null) usages.push(usage);
    } catch (error) {
      fault = error;
    }
  }
  if (answers === 0) throw fault;
  // What one of several calls does not report has to be estimated of all of them.
  const usage = usages.length === answers ? sumOfCalls(usages) : null;
  return { created: null, images, whyEmpty, quality: null, usage };
}

/** Reads a `:predict` answer: `{predictions: [{bytesBase64Encoded, mimeType}]}`. */
export async function readPredicted(body: Uint8Array, n: number): Promise<ImagesAnswer> {
  const { answer, cut } = await readAnswer(body);
  const predictions = listOrEmpty(answer.predictions).filter(isObject);
  const images = predictions.flatMap(({ bytesBase64Encoded, prompt }) => {
    return madeOf(cut.bytesOf(bytesBase64Encoded), stringOrNull(prompt));
  });
  const why = predictions.map(({ raiFilteredReason }) => stringOrNull(raiFilteredReason)).find((each) => each !== null);
  return { created: null, images: images.slice(0, n), whyEmpty: why ?? null, quality: null, usage: null };
}

async function readAnswer(body: Uint8Array): Promise<{ readonly answer: JsonObject; readonly cut: CutAnswer }> {
  const cut = await readCutAnswer(body);
  const error = readGeminiError(cut.value);
  if (error !== null) throw new AnswerFault("The provider reported an error in place of an answer.", error);
  if (!isObject(cut.value)) throw new AnswerFault("The answer is not an object.");
  return { answer: cut.value, cut };
}

/** The image of an answer that is no draft: models that think make some on the way. */
function findImage({ candidates }: JsonObject, cut: CutAnswer): MadeImage | null {
  for (const candidate of listOrEmpty(candidates)) {
    const content = isObject(candidate) && isObject(candidate.content) ? candidate.content : {};
    for (const part of listOrEmpty(content.parts)) {
      if (!isObject(part) || part.thought === true || !isObject(part.inlineData)) continue;
      const [made] = madeOf(cut.bytesOf(part.inlineData.data), null);
      if (made) return made;
    }
  }
  return null;
}

function madeOf(base64: Uint8Array | null, revisedPrompt: string | null): readonly MadeImage[] {
  if (base64 === null || base64.length === 0) return [];
  return [{ content: { type: "base64", base64 }, revisedPrompt, size: null }];
}

/** Why there is no image, if the answer says so. */
function reasonOf({ promptFeedback, candidates }: JsonObject): string | null {
  const [first] = listOrEmpty(candidates);
  const blocked = isObject(promptFeedback) ? stringOrNull(promptFeedback.blockReason) : null;
  return blocked ?? (isObject(first) ? stringOrNull(first.finishReason) : null);
}

/** What several calls have used together. */
function sumOfCalls(usages: readonly ReportedUsage[]): ReportedUsage | null {
  const [first, ...others] = usages;
  if (first === undefined || others.length === 0) return first ?? null;
  const isFinal = (side: "input" | "output") => usages.every((usage) => usage[side] === "final");
  return {
    quantities: sum(usages.map(({ quantities }) => quantities)),
    input: isFinal("input") ? "final" : "none",
    output: isFinal("output") ? "final" : "none",
    parts: sum(usages.map(({ parts = {} }) => parts)),
    ...(first.serviceTier !== undefined && { serviceTier: first.serviceTier }),
    reasoning: null,
    raw: { calls: usages.map(({ raw }) => raw) },
  };
}

function sum(all: readonly Quantities[]): Quantities {
  const total: MutableQuantities = {};
  for (const quantities of all) for (const name of dimensionNames) addQuantity(total, name, quantities[name] ?? 0);
  return total;
}

import { AnswerFault } from "../../dialects/exchange.ts";
import { isObject, type JsonObject, listOrEmpty } from "../../json/values.ts";
import type { ProviderResult } from "../answer.ts";

/** Results of one answer that are looked at; no provider returns so many. */
const maxListed = 1_000;

/** The value if it is a text, or a number as text; else empty. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return typeof value === "number" ? String(value) : "";
}

/** The value if it is a text that is not empty; else null. */
export function textOrNull(value: unknown): string | null {
  return typeof value === "string" && value.trim() !== "" ? value : null;
}

/** The value if it is a number from 0 up; else null. */
export function amountOrNull(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
}

/** The texts of a list as one, separated by an ellipsis; empty if there are none. */
export function joinedTexts(value: unknown): string {
  const texts = listOrEmpty(value).filter((each) => typeof each === "string");
  return texts.join(" … ");
}

/** The results of a list: what is no object in it is left out. */
export function resultsOf(list: unknown, read: (item: JsonObject, rank: number) => ProviderResult): ProviderResult[] {
  return listOrEmpty(list)
    .slice(0, maxListed)
    .filter(isObject)
    .map((item, rank) => read(item, rank));
}

/** A list that an answer must have. @throws AnswerFault */
export function requiredListOf(body: JsonObject, name: string): readonly unknown[] {
  const list = body[name];
  if (Array.isArray(list)) return list;
  throw new AnswerFault(`The provider's answer has no list '${name}'.`);
}

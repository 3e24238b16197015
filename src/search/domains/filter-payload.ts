import { isObject, type JsonObject } from "../../json/values.ts";
import { allowsHost, areRestrictive, type DomainRules } from "./domain-rules.ts";
import { hostOf } from "./host.ts";

/** A text that is an address and nothing else. */
const address = /^\s*[a-z][a-z0-9+.-]*:\/\/\S+\s*$/i;

/** Fields whose address says which page an object is about. */
const identity = /^(url|link|href|id|uri|(source|page|website|description)_?(url|link)|website)$/i;

/** Those of them that have an address of a page and nothing else: what cannot be read as one is outside. */
const pageAddress = /^(url|link|href)$/i;

/** Levels of a payload that are looked at; what is deeper is left out. */
const maxDepth = 32;

/** Addresses that are looked at; what is beyond them is left out. No provider returns so many. */
const maxAddresses = 5_000;

const left = Symbol("left out");

/** Fields with an answer or a passage of a provider's own, or with the texts of several pages, without saying of which. */
const ownTexts: ReadonlySet<string> = new Set([
  "answer",
  "answers",
  "output",
  "summary",
  "infobox",
  "infoboxes",
  "answerBox",
  "answer_box",
  "ai_overview",
  "knowledgeGraph",
  "knowledge_graph",
  "context",
]);

/**
 * A provider's payload within the domain rules: an object about a page outside them, or from one, is left out whole, and so
 * is every other address outside them. Texts of the provider's own are left out too, since nothing says what they were
 * written from.
 * @param keepsAnswer the provider's answer was found to keep to the rules
 */
export function filterPayload(payload: unknown, rules: DomainRules, keepsAnswer: boolean): unknown {
  if (!areRestrictive(rules)) return payload;
  let seen = 0;
  const isOutside = (text: string): boolean => {
    if (!text.includes("://")) return false;
    if (++seen > maxAddresses) return true;
    if (!address.test(text)) return false;
    const host = hostOf(text);
    return host === null || !allowsHost(rules, host);
  };
  const filtered = (value: unknown, depth: number): unknown => {
    if (depth > maxDepth) return left;
    if (typeof value === "string") return isOutside(value) ? left : value;
    if (Array.isArray(value)) return itemsOf(value, depth);
    if (!isObject(value)) return value;
    return isAboutOther(value) || (isObject(value.source) && isAboutOther(value.source))
      ? left
      : fieldsOf(value, depth);
  };
  const isAboutOther = (fields: JsonObject): boolean => {
    for (const name in fields) {
      const text = fields[name];
      if (typeof text !== "string" || !identity.test(name)) continue;
      if (isOutside(text) || (text !== "" && pageAddress.test(name) && hostOf(text) === null)) return true;
    }
    return false;
  };
  // What is allowed whole is not copied.
  const itemsOf = (list: readonly unknown[], depth: number) => {
    const kept = list.map((item) => filtered(item, depth + 1));
    return kept.every((item, index) => item === list[index]) ? list : kept.filter((item) => item !== left);
  };
  const fieldsOf = (fields: JsonObject, depth: number) => {
    let isWhole = true;
    const kept: [string, unknown][] = [];
    for (const name in fields) {
      const isLeft = (!keepsAnswer && ownTexts.has(name)) || isOutside(name);
      const value = isLeft ? left : filtered(fields[name], depth + 1);
      isWhole &&= value === fields[name];
      if (value !== left) kept.push([name, value]);
    }
    return isWhole ? fields : Object.fromEntries(kept);
  };

  // The whole is about no single page: what it holds is judged one by one.
  return isObject(payload) ? fieldsOf(payload, 0) : null;
}

/** Characters of a scheme that are looked at: what is longer is none. */
const maxScheme = 32;
const schemeEnd = /[a-z][a-z0-9+.-]*$/i;
const addressEnd = /[\s"'<>)\]}]/g;

/** Whether all addresses within a text are allowed. A text with too many of them counts as one with others. */
export function isAllowedText(text: string, rules: DomainRules): boolean {
  let seen = 0;
  let end = 0;
  for (let at = text.indexOf("://"); at >= 0; at = text.indexOf("://", end)) {
    end = at + 3;
    const scheme = schemeEnd.exec(text.slice(Math.max(0, at - maxScheme), at))?.[0];
    if (scheme === undefined) continue;
    if (++seen > maxAddresses) return false;
    addressEnd.lastIndex = end;
    end = addressEnd.exec(text)?.index ?? text.length;
    if (end === at + 3) continue;
    const host = hostOf(withoutPunctuation(scheme + text.slice(at, end)));
    if (host === null || !allowsHost(rules, host)) return false;
  }
  return true;
}

/** The address without the punctuation of the sentence that it ends. */
function withoutPunctuation(text: string): string {
  let end = text.length;
  while (end > 0 && ".,;:!?".includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

import { isObject } from "../../json/values.ts";
import { allowsHost, areRestrictive, type DomainRules } from "./domain-rules.ts";
import { hostOf } from "./host.ts";

/** A text that is an address and nothing else. */
const address = /^\s*[a-z][a-z0-9+.-]*:\/\/\S+\s*$/i;

/** Fields whose address says which page an object is about. */
const identity = /^(url|link|href|id|uri|(source|page|website|description)_?(url|link)|website)$/i;

/** Levels of a payload that are looked at; what is deeper is left out. */
const maxDepth = 32;

const left = Symbol("left out");

/** Fields in which providers write an answer or a passage of their own, without saying where it comes from. */
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
]);

/**
 * A provider's payload within the domain rules: an object about a page outside them is left out whole, and so is every other
 * address outside them. If only some domains are allowed, texts of the provider's own are left out too, since nothing says
 * what they were written from.
 * @param keepsAnswer the provider's answer was found to keep to the rules
 */
export function filterPayload(payload: unknown, rules: DomainRules, keepsAnswer: boolean): unknown {
  if (!areRestrictive(rules)) return payload;
  const hidesTexts = rules.include !== null && !keepsAnswer;

  const isOutside = (text: string): boolean => {
    if (!address.test(text)) return false;
    const host = hostOf(text);
    return host === null || !allowsHost(rules, host);
  };
  const filtered = (value: unknown, depth: number): unknown => {
    if (depth > maxDepth) return left;
    if (typeof value === "string") return isOutside(value) ? left : value;
    if (Array.isArray(value)) return value.map((item) => filtered(item, depth + 1)).filter((item) => item !== left);
    if (!isObject(value)) return value;
    const entries = Object.entries(value);
    const isAboutOther = entries.some(
      ([name, item]) => identity.test(name) && typeof item === "string" && isOutside(item),
    );
    return isAboutOther ? left : fieldsOf(entries, depth);
  };
  const fieldsOf = (entries: readonly (readonly [string, unknown])[], depth: number) =>
    Object.fromEntries(
      entries.flatMap(([name, item]) => {
        if (hidesTexts && ownTexts.has(name)) return [];
        const kept = filtered(item, depth + 1);
        return kept === left ? [] : [[name, kept]];
      }),
    );

  // The whole is about no single page: what it holds is judged one by one.
  return isObject(payload) ? fieldsOf(Object.entries(payload), 0) : null;
}

/** Addresses within a text. */
const addresses = /[a-z][a-z0-9+.-]*:\/\/[^\s"'<>)\]}]+/gi;

/** Whether all addresses within a text are allowed. */
export function isAllowedText(text: string, rules: DomainRules): boolean {
  for (const [found] of text.matchAll(addresses)) {
    const host = hostOf(found.replace(/[.,;:!?]+$/, ""));
    if (host === null || !allowsHost(rules, host)) return false;
  }
  return true;
}

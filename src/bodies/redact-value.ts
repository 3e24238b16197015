import { ExactNumber, parseExactly } from "../json/exact-numbers.ts";
import { isObject } from "../json/values.ts";
import type { RedactionRules } from "./body-log-policy.ts";
import { leadsTo, type PathStep, readPath } from "./redaction-path.ts";
import { type Redactions, type RedactText, textRedaction } from "./redact-text.ts";

/** Rules that have been made ready for use. */
export interface Redaction {
  readonly text: RedactText;
  /** The same for a text that may be JSON itself. */
  readonly document: RedactText;
  /** A JSON value without what the rules take out, and without media. The value itself is not changed. */
  value(value: unknown, redactions: Redactions): unknown;
}

const redactedValue = "[redacted]";
/** They repeat a text token by token, in which nothing can be found. */
const tokenNames: ReadonlySet<string> = new Set(["logprobs", "top_logprobs", "logprobsResult"]);
const omittedTokens = "[probabilities of tokens]";
/** Shorter numbers are not those of cards. */
const minLongNumber = 1e12;
const minMediaLength = 128;
/** Longer texts without a blank are bytes in base64. */
const base64 = /^[A-Za-z0-9+/_-]{512,}={0,2}$/;
const dataUrl = /data:([\w.+-]{1,64}\/[\w.+-]{1,64})(?:;[\w=.-]{1,64}){0,4};base64,[A-Za-z0-9+/_-]{64,}={0,2}/g;

/** @param secrets texts that are taken out in any case */
export function compileRedaction(rules: RedactionRules, secrets: readonly string[]): Redaction {
  const text = textRedaction(rules.patterns, secrets);
  const fields = new Set(rules.fields.map((name) => name.toLowerCase()));
  const fieldInText = fields.size === 0 ? null : nameInText([...fields]);
  const paths = rules.paths.map(readPath);

  /** @param ways the rests of the paths that lead here */
  function redact(value: unknown, ways: readonly (readonly PathStep[])[], redactions: Redactions): unknown {
    if (typeof value === "string") return document(value, redactions);
    if (typeof value === "number" || value instanceof ExactNumber) return number(value, redactions);
    if (Array.isArray(value)) return value.map((item, at) => member(item, at, ways, redactions));
    if (!isObject(value)) return value;
    const members = Object.entries(value).map(([name, item]) => {
      if (fields.size > 0 && fields.has(name.toLowerCase())) return [name, taken(redactions)];
      if (isAboutTokens(name, item)) return [name, omittedTokens];
      return [text(name, redactions), member(item, name, ways, redactions)];
    });
    return Object.fromEntries(members);
  }

  function member(
    value: unknown,
    at: string | number,
    ways: readonly (readonly PathStep[])[],
    redactions: Redactions,
  ): unknown {
    if (ways.length === 0) return redact(value, ways, redactions);
    const further: (readonly PathStep[])[] = [];
    for (const [step, ...rest] of ways) {
      if (step === undefined || !leadsTo(step, at)) continue;
      if (rest.length === 0) return taken(redactions);
      further.push(rest);
    }
    return redact(value, further, redactions);
  }

  /** Arguments of tools are JSON within a text, where a name or a value may be written with escapes. */
  function document(written: string, redactions: Redactions): string {
    const whole = withoutMedia(written);
    if (!/^\s*[[{]/.test(whole)) return text(whole, redactions);
    const within: Redactions = { count: 0 };
    const value = redactedJson(whole, within);
    if (value !== null) {
      // What nothing was taken out of stays as it was written.
      if (within.count === 0) return text(whole, redactions);
      redactions.count += within.count;
      return value;
    }
    const at = fieldInText === null ? -1 : whole.search(fieldInText);
    if (at < 0) return text(whole, redactions);
    return text(whole.slice(0, at), redactions) + taken(redactions);
  }

  /** Null if the text is not JSON, such as that of an answer that was cut off. */
  function redactedJson(json: string, redactions: Redactions): string | null {
    let value: unknown;
    try {
      value = parseExactly(json);
    } catch (error) {
      if (error instanceof SyntaxError) return null;
      throw error;
    }
    return JSON.stringify(redact(value, [], redactions));
  }

  function number(value: number | ExactNumber, redactions: Redactions): unknown {
    if (typeof value === "number" && !(value >= minLongNumber && Number.isSafeInteger(value))) return value;
    const digits = value instanceof ExactNumber ? value.digits : String(value);
    const rest = text(digits, redactions);
    return rest === digits ? value : rest;
  }

  return { text, document, value: (value, redactions) => redact(value, paths, redactions) };
}

/** Whether a member tells of single tokens, such as their probabilities. */
export function isAboutTokens(name: string, value: unknown): boolean {
  return tokenNames.has(name) && (isObject(value) || (Array.isArray(value) && value.length > 0));
}

/** Finds one of the names as that of a property, in JSON of which a part is missing. */
function nameInText(names: readonly string[]): RegExp {
  const escaped = names.map((name) => name.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`));
  return new RegExp(String.raw`\\{0,64}"(?:${escaped.join("|")})\\{0,64}"\s{0,64}:`, "i");
}

function taken(redactions: Redactions): string {
  redactions.count += 1;
  return redactedValue;
}

/** A text with what stands for the images, sounds and files in it. */
function withoutMedia(text: string): string {
  if (text.length < minMediaLength) return text;
  if (base64.test(text)) return `[base64, ${text.length} characters]`;
  if (!text.includes("data:")) return text;
  return text.replace(dataUrl, (url, type: string) => `[${type}, ${url.length} characters]`);
}

import { isObject } from "../json/values.ts";
import type { RedactionRules } from "./body-log-policy.ts";
import { leadsTo, type PathStep, readPath } from "./redaction-path.ts";
import { type Redactions, type RedactText, textRedaction } from "./redact-text.ts";

/** Rules that have been made ready for use. */
export interface Redaction {
  readonly text: RedactText;
  /** A JSON value without what the rules take out, and without media. The value itself is not changed. */
  value(value: unknown, redactions: Redactions): unknown;
}

const redactedValue = "[redacted]";
const minMediaLength = 128;
/** Longer texts without a blank are bytes in base64. */
const base64 = /^[A-Za-z0-9+/_-]{512,}={0,2}$/;
const dataUrl = /data:([\w.+-]{1,64}\/[\w.+-]{1,64})(?:;[\w=.-]{1,64}){0,4};base64,[A-Za-z0-9+/_-]{64,}={0,2}/g;

/** @param secrets texts that are taken out in any case */
export function compileRedaction(rules: RedactionRules, secrets: readonly string[]): Redaction {
  const text = textRedaction(rules.patterns, secrets);
  const fields = new Set(rules.fields.map((name) => name.toLowerCase()));
  const paths = rules.paths.map(readPath);

  /** @param ways the rests of the paths that lead here */
  function redact(value: unknown, ways: readonly (readonly PathStep[])[], redactions: Redactions): unknown {
    if (typeof value === "string") return text(withoutMedia(value), redactions);
    if (Array.isArray(value)) return value.map((item, at) => member(item, at, ways, redactions));
    if (!isObject(value)) return value;
    const members = Object.entries(value).map(([name, item]) => {
      if (fields.size > 0 && fields.has(name.toLowerCase())) return [name, taken(redactions)];
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

  return { text, value: (value, redactions) => redact(value, paths, redactions) };
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

import type { RedactionPattern } from "./body-log-policy.ts";

/** What has been taken out of a body. */
export interface Redactions {
  count: number;
}

/** Takes secrets out of a text. */
export type RedactText = (text: string, redactions: Redactions) => string;

/** A key of a vendor has one of these forms; each begins with what its vendor chose. */
const keyForms = [
  String.raw`sk-[A-Za-z0-9_-]{16,}`,
  String.raw`[rs]k_(?:live|test)_[A-Za-z0-9]{16,}`,
  String.raw`AIza[A-Za-z0-9_-]{30,}`,
  String.raw`(?:AKIA|ASIA)[A-Z0-9]{16}`,
  String.raw`gh[pousr]_[A-Za-z0-9]{30,}`,
  String.raw`github_pat_[A-Za-z0-9_]{30,}`,
  String.raw`glpat-[A-Za-z0-9_-]{20,}`,
  String.raw`xox[abeoprs]-[A-Za-z0-9-]{10,}`,
  String.raw`hf_[A-Za-z0-9]{30,}`,
  String.raw`gsk_[A-Za-z0-9]{30,}`,
  String.raw`(?:xai|tvly|pplx|r8|whsec)[-_][A-Za-z0-9_+/=-]{20,}`,
  String.raw`(?<=\bBearer\s)[A-Za-z0-9._~+/=-]{16,}`,
  String.raw`-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]*-----END [A-Z ]{0,40}PRIVATE KEY-----`,
];

/**
 * JSON Web Tokens. Also what only begins like one matches: a search that gave it up at its end would begin anew at each place
 * within it, which takes minutes for some megabytes.
 */
const webToken = /(?<![A-Za-z0-9])eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*)?/g;

/** Digits, also in groups. */
const digitRun = /\d(?:[ -]?\d){12,}/g;

/** Replaces what a pattern matches. `taken` stands for one find, and counts it. */
type Replace = (text: string, taken: () => string) => string;

const patterns: Readonly<Record<RedactionPattern, Replace>> = {
  keys: (text, taken) => {
    return text.replace(webToken, (found) => (found.includes(".") ? taken() : found)).replace(vendorKey, taken);
  },
  emails: (text, taken) => text.replace(email, taken),
  cards: (text, taken) => text.replace(digitRun, (digits) => withoutCards(digits, taken)),
};

const vendorKey = new RegExp(`(?<![A-Za-z0-9])(?:${keyForms.join("|")})`, "g");
const email = /[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}/g;

/** A key of this gateway is never kept, whatever the rules say. */
const ownKey = /sk-tg-[A-Za-z0-9]{10}-[A-Za-z0-9]{20,}/g;

const names: Readonly<Record<RedactionPattern, string>> = { keys: "key", emails: "email", cards: "card" };

/**
 * Makes the function that takes out what these patterns match, keys of this gateway and the given secrets.
 * @param secrets credentials of providers; those of fewer than eight characters are passed over
 */
export function textRedaction(chosen: readonly RedactionPattern[], secrets: readonly string[]): RedactText {
  const known = secrets.filter(({ length }) => length >= 8);
  return (text, redactions) => {
    if (text.length < 5) return text;
    let redacted = text;
    const takenAs = (name: string) => () => {
      redactions.count += 1;
      return `[redacted ${name}]`;
    };
    for (const secret of known) {
      if (!redacted.includes(secret)) continue;
      redactions.count += 1;
      redacted = redacted.replaceAll(secret, "[redacted key]");
    }
    redacted = redacted.replace(ownKey, takenAs("key"));
    for (const name of chosen) redacted = patterns[name](redacted, takenAs(names[name]));
    return redacted;
  };
}

const minCardDigits = 13;
const maxCardDigits = 19;
/** Of a number that is written in groups: 4 4 4 4, 4 6 5. */
const minGroupDigits = 3;

/** Takes the numbers of cards out of digits, which may have others before and after them: a date, a security code. */
function withoutCards(digits: string, taken: () => string): string {
  if (digits.length < 2 * maxCardDigits && isCard(digits.replaceAll(/\D/g, ""))) return taken();
  const groups = digits.match(/\d+[ -]?/g) ?? [];
  let rest = "";
  for (let at = 0; at < groups.length;) {
    const end = endOfCard(groups, at);
    if (end === null) rest += groups[at++] ?? "";
    else {
      rest += taken() + (/[ -]$/.exec(groups[end - 1] ?? "")?.[0] ?? "");
      at = end;
    }
  }
  return rest;
}

/** Where the number ends that begins with a group of digits; null if none begins there. */
function endOfCard(groups: readonly string[], start: number): number | null {
  let number = "";
  for (let end = start; end < groups.length && number.length < maxCardDigits; end++) {
    const group = (groups[end] ?? "").replace(/\D$/, "");
    if (group.length < minGroupDigits) return null;
    number += group;
    if (isCard(number)) return end + 1;
  }
  return null;
}

function isCard(number: string): boolean {
  return number.length >= minCardDigits && number.length <= maxCardDigits && hasLuhnDigit(number);
}

/** Whether the last digit of a number is what its others call for, as in numbers of payment cards. */
function hasLuhnDigit(text: string): boolean {
  let sum = 0;
  let isDoubled = false;
  for (let at = text.length - 1; at >= 0; at--) {
    const digit = text.charCodeAt(at) - 48;
    const counted = isDoubled ? digit * 2 : digit;
    sum += counted > 9 ? counted - 9 : counted;
    isDoubled = !isDoubled;
  }
  return sum % 10 === 0;
}

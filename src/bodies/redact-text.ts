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
  // A JSON Web Token.
  String.raw`eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*`,
  String.raw`(?<=\bBearer\s)[A-Za-z0-9._~+/=-]{16,}`,
  String.raw`-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]*-----END [A-Z ]{0,40}PRIVATE KEY-----`,
];

const patterns: Readonly<
  Record<RedactionPattern, { readonly form: RegExp; readonly isOne?: (found: string) => boolean }>
> = {
  keys: { form: new RegExp(`(?<![A-Za-z0-9])(?:${keyForms.join("|")})`, "g") },
  emails: { form: /[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}/g },
  cards: { form: /(?<!\d)\d(?:[ -]?\d){12,18}(?!\d)/g, isOne: hasLuhnDigit },
};

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
    const replace = (form: RegExp, name: string, isOne?: (found: string) => boolean) => {
      redacted = redacted.replace(form, (found) => {
        if (isOne && !isOne(found)) return found;
        redactions.count += 1;
        return `[redacted ${name}]`;
      });
    };
    for (const secret of known) {
      if (!redacted.includes(secret)) continue;
      redactions.count += 1;
      redacted = redacted.replaceAll(secret, "[redacted key]");
    }
    replace(ownKey, "key");
    for (const name of chosen) replace(patterns[name].form, names[name], patterns[name].isOne);
    return redacted;
  };
}

/** Whether the last digit of a number is what its others call for, as in numbers of payment cards. */
function hasLuhnDigit(text: string): boolean {
  let sum = 0;
  let isDoubled = false;
  for (let at = text.length - 1; at >= 0; at--) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) continue;
    const counted = isDoubled ? digit * 2 : digit;
    sum += counted > 9 ? counted - 9 : counted;
    isDoubled = !isDoubled;
  }
  return sum % 10 === 0;
}

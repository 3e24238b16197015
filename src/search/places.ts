import type { Language } from "./query.ts";

let countryNames: Intl.DisplayNames | null = null;
let languageNames: Intl.DisplayNames | null = null;

/** The English name of a country by its code. Its names are loaded at the first call, which takes some 20 ms. */
function nameOfCountry(code: string): string | undefined {
  countryNames ??= new Intl.DisplayNames("en", { type: "region", fallback: "none" });
  return countryNames.of(code);
}

function isLanguage(code: string): boolean {
  languageNames ??= new Intl.DisplayNames("en", { type: "language", fallback: "none" });
  return languageNames.of(code) !== undefined;
}

/** Texts whose reading is kept: callers write the same few. */
const maxKept = 1_000;

/** The same function, which asks `Intl` once for each text. */
function remembered<Result>(read: (text: string) => Result): (text: string) => Result {
  const known = new Map<string, Result>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const result = read(text);
    if (known.size < maxKept) known.set(text, result);
    return result;
  };
}

/** The two-letter code of a country in upper case (`uk` is `GB`); null if there is no such country. */
export const readCountry = remembered((text: string): string | null => {
  const code = text.trim().toUpperCase();
  if (!/^[A-Z]{2}$/.test(code) || code === "ZZ") return null;
  if (code === "UK") return "GB";
  return nameOfCountry(code) === undefined ? null : code;
});

/** The English name of a country: `Germany`. */
export const countryName = remembered((code: string): string => nameOfCountry(code) ?? code);

/** A language tag such as `de`, `pt-BR` or `zh_Hant_TW`; null if there is no such language. */
export const readLanguage = remembered((text: string): Language | null => {
  const written = text.trim().replaceAll("_", "-");
  if (written.length > 35) return null;
  try {
    const { baseName, language, script, region } = new Intl.Locale(written);
    if (language.length > 3 || !isLanguage(language)) return null;
    return { tag: baseName, language, script: script ?? null, region: region ?? null };
  } catch {
    return null;
  }
});

const traditionalChinese: ReadonlySet<string | null> = new Set(["TW", "HK", "MO"]);

/** Whether it is Chinese in traditional characters, by its script or else its region. */
export function isTraditionalChinese({ language, script, region }: Language): boolean {
  return language === "zh" && (script === null ? traditionalChinese.has(region) : script === "Hant");
}

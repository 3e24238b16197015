import { isTraditionalChinese } from "../../places.ts";
import type { Language } from "../../query.ts";

/** The countries that Brave knows: it refuses all others. */
const countryCodes =
  "AR AU AT BE BR CA CL DK FI FR DE HK IN ID IT JP KR MY MX NL NZ NO CN PL PT PH RU SA ZA ES SE CH TW TR GB US";
const countries: ReadonlySet<string> = new Set(countryCodes.split(" "));

/** The languages that Brave knows: it refuses all others. */
const languages: ReadonlySet<string> = new Set(
  (
    "ar eu bn bg ca zh-hans zh-hant hr cs da nl en en-gb et fi fr gl de gu he hi hu is it jp kn ko lv lt ms ml mr nb pl pt-br " +
    "pt-pt pa ro ru sr sk sl es sv ta te th tr uk vi"
  ).split(" "),
);

/** Languages that Brave calls otherwise, or has by regions alone. */
const otherNames: Readonly<Record<string, string>> = { ja: "jp", no: "nb", nn: "nb", pt: "pt-br" };

/** Null if Brave does not know the country. */
export function braveCountry(code: string): string | null {
  return countries.has(code) ? code : null;
}

/** Null if Brave does not know the language. */
export function braveLanguage(asked: Language): string | null {
  const { language, region } = asked;
  if (language === "zh") return isTraditionalChinese(asked) ? "zh-hant" : "zh-hans";
  const regional = `${language}-${region ?? ""}`.toLowerCase();
  if (languages.has(regional)) return regional;
  const name = otherNames[language] ?? language;
  return languages.has(name) ? name : null;
}

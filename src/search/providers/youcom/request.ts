import type { Downgrade } from "../../answer.ts";
import type { ProviderCall } from "../../provider.ts";
import type { Language, ProviderQuery } from "../../query.ts";

/** Any other country is refused. */
const countries: ReadonlySet<string> = new Set(
  "AR AU AT BE BR CA CL DK FI FR DE HK IN ID IT JP KR MY MX NL NZ NO CN PL PT PH RU SA ZA ES SE CH TW TR GB US".split(
    " ",
  ),
);

/** Any other language is refused. */
const languages: ReadonlySet<string> = new Set(
  (
    "AR EU BN BG CA ZH-HANS ZH-HANT HR CS DA NL EN EN-GB ET FI FR GL DE EL GU HE HI HU IS IT JA KN KO LV LT MS ML MR NB PL " +
    "PT-BR PT-PT PA RO RU SR SK SL ES SV TA TE TH TR UK VI"
  ).split(" "),
);

export function toYoucomRequest(query: ProviderQuery): ProviderCall {
  const { country, timeRange, includeDomains, excludeDomains } = query;
  const downgrades: Downgrade[] = [];
  const isKnown = country !== null && countries.has(country);
  if (country !== null && !isKnown) downgrades.push({ field: "region", reason: "unknown_value" });
  const language = query.language === null ? null : youcomLanguage(query.language);
  if (query.language !== null && language === null) downgrades.push({ field: "language", reason: "unknown_value" });
  return {
    method: "POST",
    path: "/v1/search",
    headers: {},
    body: {
      ...query.options,
      query: query.query,
      // Of each section: there is no search for news alone.
      count: query.count,
      ...(isKnown && { country }),
      ...(language !== null && { language }),
      ...(timeRange !== null && { freshness: timeRange }),
      ...(query.includeRawContent && { livecrawl: query.type, livecrawl_formats: ["markdown"] }),
      ...(includeDomains.length > 0 && { include_domains: includeDomains }),
      ...(excludeDomains.length > 0 && { exclude_domains: excludeDomains }),
    },
    downgrades,
  };
}

/** You.com's code of a language: `EN-GB`, `PT-BR`, `ZH-HANT`. Null if it knows no such language. */
function youcomLanguage({ tag, language }: Language): string | null {
  // The script of `zh-TW` and the region of `pt`.
  const { script, region } = new Intl.Locale(tag).maximize();
  const code = language.toUpperCase();
  const exact = [`${code}-${region}`, `${code}-${script}`.toUpperCase(), code].find((each) => languages.has(each));
  return exact ?? otherNames[language] ?? null;
}

/** Portuguese outside Brazil, and Norwegian. */
const otherNames: Readonly<Record<string, string>> = { pt: "PT-PT", no: "NB", nn: "NB" };

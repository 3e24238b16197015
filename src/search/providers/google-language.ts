import { isTraditionalChinese } from "../places.ts";
import type { Language } from "../query.ts";

/** What Google takes as `hl`, in lower case, without the joke languages. */
const known: ReadonlySet<string> = new Set(
  (
    "ach af ak am ar az be bem bg bh bn br bs ca chr ckb co crs cs cy da de ee el en eo es es-419 et eu fa fi fo fr fy ga gaa gd " +
    "gl gn gu ha haw hi hr ht hu hy ia id ig is it iw ja jw ka kg kk km kn ko kri ku ky la lg ln lo loz lt lua lv mfe mg mi mk " +
    "ml mn mr ms mt my ne nl nn no nso ny nyn oc om or pa pcm pl ps pt pt-br pt-pt qu rm rn ro ru rw sd sh si sk sl sn so sq sr " +
    "sr-me st su sv sw ta te tg th ti tk tl tn to tr tt tum tw ug uk ur uz vi wo xh yi yo zh-cn zh-tw zu"
  ).split(" "),
);

/** Languages for which Google has kept an older code. */
const olderCodes: Readonly<Record<string, string>> = { he: "iw", jv: "jw", fil: "tl", nb: "no" };

/** A language as providers that search Google take it: `pt-br`, `zh-tw`, `iw`. Null if Google has no such language. */
export function googleLanguage(asked: Language): string | null {
  const { language, region } = asked;
  if (language === "zh") return isTraditionalChinese(asked) ? "zh-tw" : "zh-cn";
  const regional = `${language}-${region ?? ""}`.toLowerCase();
  if (known.has(regional)) return regional;
  const code = olderCodes[language] ?? language;
  return known.has(code) ? code : null;
}

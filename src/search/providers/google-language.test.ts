import { expect, test } from "bun:test";
import { readLanguage } from "../places.ts";
import { googleLanguage } from "./google-language.ts";

test.each([
  ["de", "de"],
  ["de-AT", "de"],
  ["en-US", "en"],
  ["pt", "pt"],
  ["pt-BR", "pt-br"],
  ["pt-PT", "pt-pt"],
  ["es-419", "es-419"],
  ["zh", "zh-cn"],
  ["zh-Hans-SG", "zh-cn"],
  ["zh-Hant", "zh-tw"],
  ["zh-HK", "zh-tw"],
  ["he", "iw"],
  ["iw", "iw"],
  ["jv", "jw"],
  ["fil", "tl"],
  ["nb-NO", "no"],
  ["nn", "nn"],
  ["sco", null],
])("%s is %p", (tag, code) => {
  const language = readLanguage(tag);
  expect(language === null ? "no language" : googleLanguage(language)).toBe(code);
});

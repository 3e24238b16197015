import { expect, test } from "bun:test";
import { readLanguage } from "../../places.ts";
import { braveCountry, braveLanguage } from "./places.ts";

test.each([
  ["de", "de"],
  ["de-CH", "de"],
  ["en-US", "en"],
  ["en-GB", "en-gb"],
  ["ja", "jp"],
  ["zh", "zh-hans"],
  ["zh-CN", "zh-hans"],
  ["zh-TW", "zh-hant"],
  ["zh-Hant-HK", "zh-hant"],
  ["pt", "pt-br"],
  ["pt-PT", "pt-pt"],
  ["pt-AO", "pt-br"],
  ["no", "nb"],
  ["nn", "nb"],
  ["el", null],
  ["sw", null],
])("the language %s is %p", (tag, name) => {
  const language = readLanguage(tag);
  expect(language === null ? "no language" : braveLanguage(language)).toBe(name);
});

test.each([
  ["DE", "DE"],
  ["GB", "GB"],
  ["SG", null],
  ["VN", null],
  ["GR", null],
])("the country %s is %p", (code, name) => {
  expect(braveCountry(code)).toBe(name);
});

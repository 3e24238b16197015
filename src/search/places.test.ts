import { expect, test } from "bun:test";
import { isTraditionalChinese, countryName, readCountry, readLanguage } from "./places.ts";

test("countries are two-letter codes", () => {
  expect(["de", " DE ", "uk", "GB", "xk"].map(readCountry)).toEqual(["DE", "DE", "GB", "GB", "XK"]);
  expect(["QQ", "ZZ", "Germany", "", "d", "1a"].map(readCountry)).toEqual([null, null, null, null, null, null]);
  expect(countryName("DE")).toBe("Germany");
});

test("languages are tags of BCP 47", () => {
  expect(readLanguage("pt_br")).toEqual({ tag: "pt-BR", language: "pt", script: null, region: "BR" });
  expect(readLanguage("zh-hant-tw")).toMatchObject({ language: "zh", script: "Hant", region: "TW" });
  expect(["english", "qq", "", "e", "de-DE-".repeat(9), "*"].map(readLanguage)).toEqual(Array(6).fill(null));
});

test.each([
  ["zh", false],
  ["zh-CN", false],
  ["zh-TW", true],
  ["zh-Hant", true],
  ["zh-Hans-HK", false],
  ["ja", false],
])("%s is traditional Chinese: %p", (tag, expected) => {
  const language = readLanguage(tag);
  expect(language !== null && isTraditionalChinese(language)).toBe(expected);
});

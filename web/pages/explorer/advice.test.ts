import { expect, test } from "bun:test";
import { errorCatalogue } from "../../../src/error-catalogue.ts";
import { words } from "../../words/en.ts";

test("advice is given for errors that there are", () => {
  const { unreachable: _ownWord, ...advice } = words.explorer.advice;
  expect(Object.keys(advice).filter((code) => !(code in errorCatalogue))).toEqual([]);
});

import { describe, expect, test } from "bun:test";
import { parseOptions, sections } from "./options.ts";

describe("the command line of the benchmark", () => {
  test("measures everything unless told otherwise", () => {
    expect(parseOptions([])).toMatchObject({ rounds: 3, seconds: 5, quick: false, jsonFile: null });
    expect([...(parseOptions([])?.only ?? [])]).toEqual([...sections]);
  });

  test("takes some sections, and refuses one that is not there", () => {
    expect([...(parseOptions(["--only", "json,start"])?.only ?? [])]).toEqual(["json", "start"]);
    expect(() => parseOptions(["--only", "jsn"])).toThrow('--only: "jsn" is not one of json');
  });

  test.each(["0", "1.5", "many", "-2"])("refuses %s rounds", (word) => {
    expect(() => parseOptions([`--rounds=${word}`])).toThrow("--rounds");
  });
});

import { describe, expect, test } from "bun:test";
import { pathKey } from "./path.ts";
import { substitute } from "./substitution.ts";

const environment = { KEY: "secret", EMPTY: "", MARKED: "a${KEY}b" };

function replaceIn(text: string): unknown {
  return substitute({ text }, environment).value;
}

describe("substitute", () => {
  test.each([
    ["${KEY}", "secret"],
    ["Bearer ${KEY}, ${KEY}", "Bearer secret, secret"],
    ["${MISSING:-default}", "default"],
    ["${EMPTY:-default}", "default"],
    ["${KEY:-default}", "secret"],
    ["${EMPTY}", ""],
    ["a${EMPTY:-}b", "ab"],
    ["${MISSING:-http://localhost:1/v1}", "http://localhost:1/v1"],
    ["$${KEY}", "${KEY}"],
    ["$$${KEY}", "$${KEY}"],
    ["$KEY and 5$", "$KEY and 5$"],
    ["${MARKED}", "a${KEY}b"],
  ])("%s becomes %s", (text, expected) => {
    expect(replaceIn(text)).toEqual({ text: expected });
  });

  test("a value that is only an empty default becomes null", () => {
    expect(replaceIn("${MISSING:-}")).toEqual({ text: null });
  });

  test("an unset variable without a default is a problem that names it and its path", () => {
    const { problems } = substitute({ list: ["ok", { key: "${MISSING}" }] }, environment);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.path).toEqual(["list", 1, "key"]);
    expect(problems[0]?.found).toContain("MISSING");
  });

  test.each(["${KEY", "${}", "${1A}", "${KEY:default}", "${KEY-x}"])("%s is a problem", (text) => {
    expect(substitute({ text }, environment).problems).toHaveLength(1);
  });

  test("names, numbers and other values are unchanged", () => {
    const value = { "${KEY}": 1, yes: true, none: null, list: [1.5] };
    expect(substitute(value, environment).value).toEqual(value);
  });

  test("the paths of values from the environment are returned, without those of literals", () => {
    const { replaced } = substitute({ one: "${KEY}", two: "$${KEY}", three: ["x", "${NO:-d}"] }, environment);
    expect([...replaced].sort()).toEqual([pathKey(["one"]), pathKey(["three", 1])]);
  });
});

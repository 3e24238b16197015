import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { arbitraryTags } from "./attribution.testkit.ts";
import { tagsToText, textToTags } from "./attribution.ts";
import { isTagName, isTagValue, problemOfTags, readTag } from "./tag-grammar.ts";

describe("the canonical text of tags", () => {
  test("is read back as the tags, in whatever order they were given", () => {
    fc.assert(
      fc.property(arbitraryTags, (tags) => {
        const backwards = Object.fromEntries(Object.entries(tags).toReversed());
        const text = tagsToText(tags);
        expect(text).toBe(tagsToText(backwards));
        expect(textToTags(text)).toEqual(tags);
        // Blanks are within values only.
        expect(text === null || JSON.stringify(JSON.parse(text)).length === text.length).toBe(true);
      }),
    );
  });

  test("of none is null", () => expect(tagsToText({})).toBeNull());

  test("has names as they sort, also those that are numbers or of Object.prototype", () => {
    const tags = Object.fromEntries([
      ["b", "1"],
      ["__proto__", "2"],
      ["10", "3"],
      ["9", "4"],
      ["constructor", "5"],
    ]);
    expect(tagsToText(tags)).toBe('{"10":"3","9":"4","__proto__":"2","b":"1","constructor":"5"}');
    expect(Object.keys(textToTags('{"__proto__":"2"}'))).toEqual(["__proto__"]);
  });
});

describe("readTag", () => {
  test("reads whatever tag has been written, with blanks around it", () => {
    const blanks = fc.constantFrom("", " ", "  ", "\t");
    fc.assert(
      fc.property(arbitraryTags, blanks, blanks, (tags, before, behind) => {
        for (const [name, value] of Object.entries(tags)) {
          expect(readTag(`${before}${name}${behind}=${before}${value}${behind}`)).toEqual([name, value]);
        }
      }),
    );
  });

  test("of any text gives a tag within the grammar, or none", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 400 }), fc.string({ maxLength: 400 }), (a, b) => {
        const tag = readTag(`${a}=${b}`);
        if (tag === null) return;
        expect(tag[0]).toMatch(/^[a-z0-9_.-]{1,64}$/);
        expect(tag[1]).toMatch(/^[ -~]{1,256}$/);
        expect(tag[1]).not.toMatch(/[",\\]|^ | $/);
      }),
    );
  });

  test.each([["team"], ["=search"], ["team="], ["Team=search"], ["te am=x"], ["team=a\\b"], ['team="a"'], ["team=é"]])(
    "refuses %p",
    (text) => expect(readTag(text)).toBeNull(),
  );

  test("a value may hold blanks and equals signs", () => expect(readTag("q=a b=c")).toEqual(["q", "a b=c"]));

  test("bounds names and values", () => {
    expect([64, 65].map((length) => isTagName("n".repeat(length)))).toEqual([true, false]);
    expect([256, 257].map((length) => isTagValue("v".repeat(length)))).toEqual([true, false]);
  });
});

test("the tags of a key are bounded in number and in all", () => {
  const many = (count: number, value: string) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, value]));
  expect(problemOfTags(many(16, "v"))).toBeNull();
  expect(problemOfTags(many(17, "v"))).toBe("there are more than 16");
  expect(problemOfTags(many(9, "v".repeat(256)))).toContain("2048 characters");
  expect(problemOfTags({ Team: "search" })).toStartWith("'Team=search' is not name=value");
});

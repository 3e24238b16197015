import * as fc from "fast-check";
import { type Attribution, type Tags, tagsToText } from "./attribution.ts";

const name = fc.string({
  unit: fc.constantFrom("a", "m", "z", "0", "9", "_", ".", "-"),
  minLength: 1,
  maxLength: 64,
});
const value = fc
  .string({ unit: "grapheme-ascii", minLength: 1, maxLength: 256 })
  .map((text) => text.replaceAll(/[",\\]/g, "+").trim())
  .filter((text) => text !== "");
const text = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 256 })
  // eslint-disable-next-line no-control-regex
  .map((each) =>
    each
      .slice(0, 256)
      .toWellFormed()
      .replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, "+"),
  );

/** The tags that a request could carry, few enough that their text stays within its bound. */
export const arbitraryTags: fc.Arbitrary<Tags> = fc
  .uniqueArray(fc.tuple(name, value), { selector: ([each]) => each, maxLength: 6 })
  .map((entries) => Object.fromEntries(entries));

/** Any attribution that a request could have, for tests. */
export const arbitraryAttribution: fc.Arbitrary<Attribution> = fc.record({
  tags: arbitraryTags.map(tagsToText),
  endUser: fc.option(text),
  session: fc.option(text),
});

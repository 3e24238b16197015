import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { readSignature, unknownSignature, writeSignature } from "./signature.ts";

test("Google's own signatures are unchanged", () => {
  const signature = { vendor: "google", value: "EqUCCqICAb4+9vsh" } as const;
  expect(writeSignature({ signature })).toBe("EqUCCqICAb4+9vsh");
  expect(readSignature("EqUCCqICAb4+9vsh")).toEqual({ signature });
});

test("another vendor's signature is sent as base64 and comes back unchanged", () => {
  fc.assert(
    fc.property(
      fc.constantFrom("openai" as const, "anthropic" as const),
      fc.string({ unit: "grapheme" }).filter((value) => value.isWellFormed()),
      fc.option(fc.string(), { nil: undefined }),
      fc.constantFrom(true, undefined),
      (vendor, value, id, redacted) => {
        const written = writeSignature({ signature: { vendor, value }, id, redacted });
        expect(Buffer.from(written, "base64").toString("base64")).toBe(written);
        expect(readSignature(written)).toEqual({ signature: { vendor, value }, id, redacted });
      },
    ),
  );
});

test("invalid signatures, and text that only looks like one of ours", () => {
  expect(readSignature(undefined)).toBeNull();
  expect(readSignature("")).toBeNull();
  expect(readSignature(unknownSignature)).toBeNull();
  const broken = Buffer.from("tollgate:not JSON").toString("base64");
  expect(readSignature(broken)).toEqual({ signature: { vendor: "google", value: broken } });
});

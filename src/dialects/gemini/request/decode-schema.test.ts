import { expect, test } from "bun:test";
import { decodeSchema } from "./decode-schema.ts";

test("upper-case types, counts as text, nullable and ordering become JSON Schema", () => {
  const decoded = decodeSchema({
    type: "OBJECT",
    properties: {
      tags: { type: "ARRAY", items: { type: "STRING", minLength: "1" }, maxItems: "3" },
      mood: { type: "STRING", enum: ["good", "bad"], nullable: true, format: "enum" },
      age: { type: "INTEGER", minimum: 0, example: 30 },
    },
    required: ["age"],
    propertyOrdering: ["age", "mood"],
  });
  expect(decoded).toEqual({
    type: "object",
    properties: {
      age: { type: "integer", minimum: 0, examples: [30] },
      mood: { type: ["string", "null"], enum: ["good", "bad", null], format: "enum" },
      tags: { type: "array", items: { type: "string", minLength: 1 }, maxItems: 3 },
    },
    required: ["age"],
  });
  expect(Object.keys(decoded.properties as object)).toEqual(["age", "mood", "tags"]);
});

test("snake_case, choices, and unspecified types", () => {
  expect(
    decodeSchema({ any_of: [{ type: "STRING" }, { type: "TYPE_UNSPECIFIED" }], nullable: true, min_items: "2" }),
  ).toEqual({ anyOf: [{ type: "string" }, {}, { type: "null" }], minItems: 2 });
});

test("a property named like a keyword is a property", () => {
  const decoded = decodeSchema({
    type: "object",
    properties: { type: { type: "string" }, any_of: { type: "NUMBER" } },
  });
  expect(decoded.properties).toEqual({ type: { type: "string" }, any_of: { type: "number" } });
});

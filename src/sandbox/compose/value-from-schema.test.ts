import { expect, test } from "bun:test";
import { valueFromSchema } from "./value-from-schema.ts";

const hints = { place: "Rome", text: "find me a book" };
const make = (schema: unknown): unknown => valueFromSchema(schema, hints);

test("every property has a value, from hints if its name suggests it", () => {
  const schema = {
    type: "object",
    properties: {
      city: { type: "string" },
      query: { type: "string" },
      unit: { enum: ["c", "f"] },
      days: { type: "integer", minimum: 2, maximum: 7 },
      exact: { type: "boolean" },
      tags: { type: "array", items: { type: "string" }, minItems: 2 },
      nothing: { type: "null" },
    },
    required: ["city"],
  };
  expect(make(schema)).toEqual({
    city: "Rome",
    query: "find me a book",
    unit: "c",
    days: 2,
    exact: true,
    tags: ["sample tags", "sample tags"],
    nothing: null,
  });
});

test.each([
  [{ type: "integer", multipleOf: 5 }, 5],
  [{ type: "integer", exclusiveMinimum: 3 }, 4],
  [{ type: "integer", maximum: -2 }, -2],
  [{ type: "number", exclusiveMaximum: 1 }, 0.5],
  [{ type: "number", minimum: 2.5, multipleOf: 2 }, 4],
])("a number is within its range: %j", (schema, expected) => {
  expect(make(schema)).toBe(expected);
});

test.each([
  [{ type: "string", format: "date" }, /^\d{4}-\d\d-\d\d$/],
  [{ type: "string", format: "email" }, /^[^@]+@[^@]+$/],
  [{ type: "string", minLength: 12 }, /^.{12}$/],
  [{ type: "string", maxLength: 3 }, /^.{3}$/],
])("a string has its format and length: %j", (schema, expected) => {
  expect(make(schema)).toMatch(expected);
});

test("references, alternatives and allOf are resolved", () => {
  const schema = {
    $defs: { named: { type: "object", properties: { name: { type: "string" } }, required: ["name"] } },
    type: "object",
    properties: {
      one: { $ref: "#/$defs/named" },
      two: { anyOf: [{ type: "null" }, { type: "integer" }] },
      three: { allOf: [{ $ref: "#/$defs/named" }, { properties: { age: { type: "integer" } } }] },
      four: { type: ["null", "string"], const: "x" },
    },
  };
  expect(make(schema)).toEqual({ one: { name: "Ada" }, two: 1, three: { name: "Ada", age: 1 }, four: "x" });
});

test("a recursive schema terminates", () => {
  const node = {
    type: "object",
    properties: { value: { type: "string" }, next: { anyOf: [{ $ref: "#/$defs/node" }, { type: "null" }] } },
    required: ["value", "next"],
    additionalProperties: false,
  };
  const made = make({ $defs: { node }, $ref: "#/$defs/node" });
  const text = JSON.stringify(made);
  expect(text.length).toBeLessThan(2000);
  expect(text).toContain('"next":null');
});

test.each([
  [{ $ref: "#" }],
  [{ $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } }],
  [{ type: "array", minItems: 1e9, items: { type: "array", minItems: 1e9, items: { type: "string" } } }],
  [{ type: "string", minLength: 1e12 }],
  [{ properties: { a: { $ref: "#" }, b: { $ref: "#" } }, required: ["a", "b"] }],
  [{ anyOf: [{ $ref: "#" }] }],
  [null],
  ["no schema"],
])("a malicious schema is bounded: %j", (schema) => {
  expect((JSON.stringify(make(schema)) ?? "").length).toBeLessThan(3_000_000);
});

import { expect, test } from "bun:test";
import { encodeSchema } from "./encode-schema.ts";

test("const becomes an enum of one, or a description if an enum cannot hold it", () => {
  expect(
    encodeSchema({
      type: "object",
      properties: {
        kind: { const: "circle" },
        size: { const: 2 },
        none: { const: null },
        flag: { const: true, description: "A flag." },
      },
    }).properties,
  ).toEqual({
    kind: { type: "string", enum: ["circle"] },
    size: { type: "integer", enum: [2] },
    none: { type: "null" },
    flag: { type: "boolean", description: "A flag. Must be exactly true." },
  });
});

test("references have no siblings and point to $defs", () => {
  expect(
    encodeSchema({
      $schema: "http://json-schema.org/draft-07/schema#",
      definitions: { Node: { type: "object", properties: { next: { $ref: "#/definitions/Node" } } } },
      properties: { root: { $ref: "#/definitions/Node", description: "Where it begins." } },
    }),
  ).toEqual({
    $defs: { Node: { type: "object", properties: { next: { $ref: "#/$defs/Node" } } } },
    properties: { root: { description: "Where it begins.", anyOf: [{ $ref: "#/$defs/Node" }] } },
  });
});

test("a property named like a keyword is a property", () => {
  const schema = { type: "object", properties: { const: { type: "string" }, $schema: { type: "string" } } };
  expect(encodeSchema(schema)).toEqual(schema);
});

test("keywords that Gemini supports are unchanged", () => {
  const schema = {
    type: ["object", "null"],
    additionalProperties: false,
    anyOf: [{ required: ["a"] }, { required: ["b"] }],
    properties: { a: { type: "array", prefixItems: [{ type: "string" }], items: { type: "number" } } },
  };
  expect(encodeSchema(schema)).toEqual(schema);
});

test("a schema of 5,000 levels does not overflow the stack", () => {
  let schema: Record<string, unknown> = { type: "string" };
  for (let depth = 0; depth < 5_000; depth++) schema = { items: schema };
  expect(() => encodeSchema(schema)).not.toThrow();
});

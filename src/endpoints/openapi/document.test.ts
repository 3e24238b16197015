import { expect, test } from "bun:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { dialects } from "../../dialects/registry.ts";
import { createPathTable } from "../path-table.ts";
import { descriptions, openApiDocument } from "./document.ts";

const { entries } = createPathTable(dialects);
const paths = entries.map(({ path, handlers, operations }) => ({
  path,
  methods: Object.keys({ ...handlers, ...operations }),
}));
const document = openApiDocument(paths);

/** Everything that is served, as `METHOD path`, without what the pages of the console use. */
const served = paths
  .filter(({ path }) => !/^\/console(\/|$)/.test(path))
  .flatMap(({ path, methods }) => methods.map((method) => `${method} ${path}`));

/** All values under a name, wherever they are in the document. */
function valuesOf(name: string, part: unknown = document): unknown[] {
  if (typeof part !== "object" || part === null) return [];
  return Object.entries(part).flatMap(([key, value]) => [...(key === name ? [value] : []), ...valuesOf(name, value)]);
}

test("every method of every path is described, and nothing else is", () => {
  expect(Object.keys(descriptions).sort()).toEqual(served.toSorted());
});

test("a path without a description would be missing in the document", () => {
  const made = openApiDocument([...paths, { path: "/api/new", methods: ["GET"] }]);
  expect(Object.keys(made.paths)).toEqual(Object.keys(document.paths));
  expect(served).not.toContain("GET /api/new");
});

test("the document is a valid OpenAPI 3.1 document", async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(structuredClone(document));
  expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
  expect(validator.version).toBe("3.1");
});

test("a wrong document is found", async () => {
  const wrong = structuredClone(document) as { paths: Record<string, unknown> };
  wrong.paths["/wrong"] = { get: { responses: 5 } };
  expect((await new Validator().validate(wrong)).valid).toBeFalse();
});

test("each operation has an id of its own, and every reference leads somewhere", () => {
  const ids = valuesOf("operationId");
  expect(ids.length).toBe(served.length);
  expect(new Set(ids).size).toBe(ids.length);
  const { schemas } = document.components;
  const references = valuesOf("$ref").map(String);
  expect(references.length).toBeGreaterThan(50);
  for (const reference of references) {
    const [, name = ""] = /^#\/components\/(?:schemas|responses)\/(\w+)$/.exec(reference) ?? [];
    expect([...Object.keys(schemas), "Error"]).toContain(name);
  }
  const used = new Set(references.map((reference) => reference.split("/").at(-1)));
  expect(Object.keys(schemas).filter((name) => !used.has(name))).toEqual([]);
});

test("inputs of the admin API allow no unknown fields, vendors' bodies do", () => {
  const { schemas } = document.components as { schemas: Record<string, Record<string, unknown>> };
  for (const name of ["NewKey", "KeyChange", "Rotation", "NewAccount", "NewEntry", "Activation"]) {
    expect(schemas[name]?.additionalProperties).toBe(false);
  }
  for (const name of ["ChatRequest", "MessagesRequest", "GenerateContentRequest", "ResponsesRequest"]) {
    expect(schemas[name]?.additionalProperties).toEqual({});
  }
  expect(schemas.NewKey?.required).toEqual(["name"]);
  expect(schemas.ChatRequest?.required).toEqual(["model", "messages"]);
});

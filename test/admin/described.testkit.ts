import { expect } from "bun:test";
import { z } from "zod";
import { descriptions } from "../../src/endpoints/openapi/document.ts";
import { compilePath } from "../../src/endpoints/path-pattern.ts";
import type { NamedSchema } from "../../src/endpoints/openapi/description.ts";

const patterns = Object.keys(descriptions)
  .toSorted((one, other) => other.length - one.length)
  .map((place) => {
    const [method = "", path = ""] = place.split(" ");
    return { method, path, pattern: compilePath(path), description: descriptions[place] };
  });

/** Checks a good answer of JSON against the OpenAPI document: it has what is described, and nothing that is not. */
export function expectDescribed(method: string, path: string, status: number, body: unknown): void {
  const exact = patterns.find((each) => each.method === method && each.path === path);
  const found = exact ?? patterns.find((each) => each.method === method && each.pattern.match(path) !== null);
  const answer = found?.description?.answer;
  if (!answer) throw new Error(`${method} ${path} is not described.`);
  const { status: described = 200, content } = answer;
  // A repeated entry of a ledger is no new one.
  expect([described, 200]).toContain(status);
  const named = content["application/json"];
  if (!named) throw new Error(`${method} ${path} answers no JSON.`);
  expect(schemaOf(named).parse(body)).toEqual(body);
}

function schemaOf(named: NamedSchema | { readonly page: NamedSchema }): z.ZodType {
  if (!("page" in named)) return named.schema;
  return z.object({
    object: z.literal("list"),
    data: z.array(named.page.schema),
    has_more: z.boolean(),
    next: z.union([z.string(), z.int(), z.null()]),
  });
}

import { expect, test } from "bun:test";
import fc from "fast-check";
import { GatewayError } from "../errors.ts";
import { allowsHost, covers, type DomainSet } from "./domains/domain-rules.ts";
import { readSearchRequest } from "./read-request.ts";

const label = fc.constantFrom("a", "b", "c");
const host = fc.array(label, { minLength: 1, maxLength: 3 }).map((labels) => labels.join("."));
const list = fc.option(fc.array(host, { maxLength: 4 }));

/** The rules of a search, or the code of its refusal. */
function rulesOf(key: DomainSet | null, include: readonly string[] | null, exclude: readonly string[] | null) {
  try {
    const body = { query: "q", include_domains: include, exclude_domains: exclude };
    return readSearchRequest(body, key, 0, []).rules;
  } catch (error) {
    if (error instanceof GatewayError) return error.code;
    throw error;
  }
}

test("allowlists can only narrow: no request widens what its key allows, or what it asked for", () => {
  const keys = fc.option(fc.array(host, { minLength: 1, maxLength: 4 }).map((hosts) => new Set(hosts)));
  fc.assert(
    fc.property(keys, list, list, host, (key, include, exclude, asked) => {
      const rules = rulesOf(key, include, exclude);
      if (typeof rules === "string" || rules === null) {
        expect(["domain_not_allowed", "invalid_parameter"]).toContain(rules ?? "");
        return;
      }
      const wanted =
        (key === null || covers(key, asked)) &&
        (include === null || include.length === 0 || covers(new Set(include), asked)) &&
        !covers(new Set(exclude ?? []), asked);
      expect(allowsHost(rules, asked)).toBe(wanted);
      // Providers take an empty list for none.
      expect(rules.include?.size).not.toBe(0);
    }),
    { numRuns: 2_000 },
  );
});

test("any body is read or refused with an error that names a field", () => {
  const names = [
    "query",
    "type",
    "backend",
    "region",
    "max_results",
    "include_domains",
    "provider_options",
    "include_answer",
  ];
  const body = fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string()), fc.jsonValue());
  fc.assert(
    fc.property(body, (fields) => {
      try {
        readSearchRequest(fields, null, 0, []);
      } catch (error) {
        expect(error).toBeInstanceOf(GatewayError);
        if (error instanceof GatewayError) expect([error.status, error.param]).toEqual([400, expect.any(String)]);
      }
    }),
  );
});

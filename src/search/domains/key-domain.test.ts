import { expect, test } from "bun:test";
import { readKeyDomain } from "./key-domain.ts";

test("a key is limited to domains, and not to a top-level domain", () => {
  expect(["Example.com", "gov.uk", "bücher.example", "192.0.2.1"].map(readKeyDomain)).toEqual([
    "example.com",
    "gov.uk",
    "xn--bcher-kva.example",
    "192.0.2.1",
  ]);
  expect(["com", "localhost", "https://example.com", "*.example.com", ""].map(readKeyDomain)).toEqual(
    Array(5).fill(null),
  );
});

import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { consolePath } from "./console-path.ts";

test.each([
  ["/console", "/console"],
  ["/console/requests?model=a#b", "/console/requests?model=a#b"],
  ["/console/keys/../keys", "/console/keys"],
])("%s is a path of the console", (given, expected) => {
  expect(consolePath(given)).toBe(expected);
});

test.each([
  undefined,
  "",
  "/",
  "/consolex",
  "/console/../v1/models",
  "/console/..//evil.example",
  "/console\\..\\..\\evil.example",
  "//evil.example/console",
  "/\\evil.example/console",
  "https://evil.example/console",
  "javascript:alert(1)//console",
  "/console/%2e%2e/healthz",
  "\t/console",
  `/console/${"a".repeat(3_000)}`,
])("%p is none", (given) => {
  expect(consolePath(given)).toBe("/console");
});

test("whatever is given, a browser stays on the site and in the console", () => {
  const parts = fc.array(
    fc.constantFrom("/console", "/", "\\", "..", "%2e", "//", "@", "evil.example", ":", "?", "#", "\t", "\n"),
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        parts.map((texts) => `/console${texts.join("")}`),
      ),
      (given) => {
        const url = new URL(consolePath(given), "https://gateway.example");
        expect(url.host).toBe("gateway.example");
        expect(url.pathname).toMatch(/^\/console(\/|$)/);
      },
    ),
  );
});

import { expect, test } from "bun:test";
import { nextPage } from "./next-page.ts";

const origin = "https://gateway.example";

test.each(["/console", "/console/requests?model=a", "/console/keys"])("%s is gone to", (wanted) => {
  expect(nextPage(wanted, origin)).toBe(wanted);
});

test.each([
  undefined,
  "",
  "//evil.example/console/",
  "//[",
  "/\\evil.example/console/",
  "/console/../../evil",
  "/console/%2e%2e/v1/models",
  "/\t/evil.example/console/",
  "https://evil.example/console/",
  "javascript:alert(1)",
  "/console/auth/callback/oidc",
  "/console/sign-in",
  "/consoles",
])("%j leads to the first page", (wanted) => {
  expect(nextPage(wanted, origin)).toBe("/console");
});

import { describe, expect, test } from "bun:test";
import { allowsEndpoint, allowsModel, compileScopes, isModelPattern } from "./scopes.ts";

function models(...patterns: string[]) {
  return compileScopes({ models: patterns, endpoints: null });
}

describe("allowsModel", () => {
  test("null means all, an empty list none", () => {
    expect(allowsModel(compileScopes({ models: null, endpoints: null }), "anything")).toBe(true);
    expect(allowsModel(models(), "anything")).toBe(false);
  });

  test("a name matches only itself", () => {
    expect(allowsModel(models("a", "b"), "b")).toBe(true);
    expect(allowsModel(models("a", "b"), "bb")).toBe(false);
    expect(allowsModel(models("a"), "A")).toBe(false);
    expect(allowsModel(models("a"), "a/b")).toBe(false);
  });

  test("prefix/* matches any depth below the prefix, and not the prefix itself", () => {
    const scopes = models("b/*");
    expect(allowsModel(scopes, "b/x")).toBe(true);
    expect(allowsModel(scopes, "b/x/y/z")).toBe(true);
    for (const other of ["b", "b/", "bx", "bb/x", "a/b/x"]) expect(allowsModel(scopes, other)).toBe(false);
  });

  test("a nested prefix matches only names below it", () => {
    expect(allowsModel(models("b/c/*"), "b/c/d")).toBe(true);
    expect(allowsModel(models("b/c/*"), "b/d")).toBe(false);
  });

  test("* alone means all", () => {
    expect(allowsModel(models("a", "*"), "b/c")).toBe(true);
  });

  test("names of built-in properties do not match", () => {
    expect(allowsModel(models("a"), "__proto__")).toBe(false);
    expect(allowsModel(models("a"), "constructor")).toBe(false);
  });
});

test("allowsEndpoint accepts the listed names, or all", () => {
  const chatOnly = compileScopes({ models: null, endpoints: ["chat"] });
  expect(allowsEndpoint(chatOnly, "chat")).toBe(true);
  expect(allowsEndpoint(chatOnly, "responses")).toBe(false);
  expect(allowsEndpoint(models(), "responses")).toBe(true);
});

test("isModelPattern rejects a star in any other place", () => {
  for (const good of ["*", "a", "a/*", "a/b/*", "a/b.c-d:e"]) expect(isModelPattern(good)).toBe(true);
  for (const bad of ["", "a*", "*/a", "a/*/b", "/*/*", "**"]) expect(isModelPattern(bad)).toBe(false);
});

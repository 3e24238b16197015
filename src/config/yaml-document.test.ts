import { describe, expect, test } from "bun:test";
import { readYaml } from "./yaml-document.ts";

describe("readYaml", () => {
  test("reads maps, lists and scalars, and knows where they stand", () => {
    const document = readYaml("a: 1\nlist:\n  - { name: x, on: true }\n  - null\n");
    expect(document.faults).toEqual([]);
    expect(document.value).toEqual({ a: 1, list: [{ name: "x", on: true }, null] });
    expect(document.locate(["a"])).toEqual({ line: 1, column: 4 });
    expect(document.locateName(["list", 0, "on"])).toEqual({ line: 3, column: 16 });
    expect(document.locate(["list", 0, "on"])).toEqual({ line: 3, column: 20 });
  });

  test("what is absent is placed at what would hold it", () => {
    const document = readYaml("server: { port: 1 }\nproviders:\n  - id: x\n");
    expect(document.locate(["providers", 0, "base_url"])).toEqual({ line: 3, column: 5 });
    expect(document.locate(["server", "host"])).toEqual({ line: 1, column: 1 });
  });

  test("an empty file is nothing", () => {
    expect(readYaml("# only a comment\n")).toMatchObject({ value: null, faults: [] });
  });

  test("an alias stands for its anchor, and is placed where it is used", () => {
    const document = readYaml("a: &t { x: 1 }\nb: *t\n");
    expect(document.value).toEqual({ a: { x: 1 }, b: { x: 1 } });
    expect(document.locate(["b"])).toEqual({ line: 2, column: 4 });
  });

  test.each([
    ["a name twice", "a: 1\na: 2\n", 2, "second time"],
    ["an unclosed list", "a: [1, 2\nb: 3\n", 2, "bracket"],
    ["a tab as indentation", "a:\n\tb: 1\n", 2, "tab"],
    ["two documents", "a: 1\n---\nb: 2\n", 2, "second document"],
    ["an unknown alias", "a: *nowhere\n", 1, "alias"],
    ["an unknown tag", "a: !!binary aGk=\n", 1, "tag"],
    ["a name with a meaning of its own", "__proto__: { x: 1 }\n", 1, "meaning of its own"],
    ["a number that a float cannot hold", "a: 0.25000000000000000001\n", 1, "cannot be held exactly"],
    ["a map as a name", "? { a: 1 }\n: 2\n", 1, "not text"],
  ])("%s is a fault at its line", (_what, text, line, found) => {
    const { faults } = readYaml(text);
    expect(faults.map((fault) => [fault.position?.line, fault.found])).toContainEqual([
      line,
      expect.stringContaining(found),
    ]);
  });

  test("a fault quotes nothing of the file", () => {
    for (const text of ['a: "\\sk-secret"', "a: *sk-secret", "a: !sk-secret x", "a: sk-secret: x", "a: [sk-secret"]) {
      const { faults } = readYaml(text);
      expect(faults.length).toBeGreaterThan(0);
      expect(JSON.stringify(faults)).not.toContain("secret");
    }
  });

  test("aliases that would name billions of values are refused", () => {
    const lines = ["l0: &l0 [x, x, x, x, x, x, x, x, x, x]"];
    for (let level = 1; level < 12; level++) {
      lines.push(
        `l${level}: &l${level} [${Array(10)
          .fill(`*l${level - 1}`)
          .join(", ")}]`,
      );
    }
    expect(readYaml(lines.join("\n")).faults[0]?.found).toBe("too many values");
  });

  test("an alias inside its own anchor is refused", () => {
    expect(readYaml("a: &a [*a]\n").faults.length).toBeGreaterThan(0);
  });

  test.each([["[".repeat(20_000)], [`a: ${"[".repeat(200)}${"]".repeat(200)}`], ["{a: ".repeat(500)]])(
    "values nested too deep are refused (%#)",
    (text) => {
      expect(readYaml(text).faults.map((fault) => fault.found)).toContainEqual(expect.stringMatching(/deep|bracket/));
    },
  );

  test("a very wide map is read in reasonable time", () => {
    const text = Array.from({ length: 5_000 }, (_, index) => `n${index}: 1`).join("\n");
    expect(Object.keys(readYaml(text).value as object)).toHaveLength(5_000);
  });
});

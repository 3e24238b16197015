import { describe, expect, test } from "bun:test";
import { readYaml } from "./yaml-document.ts";

describe("readYaml", () => {
  test("reads maps, lists and scalars with their positions", () => {
    const document = readYaml("a: 1\nlist:\n  - { name: x, on: true }\n  - null\n");
    expect(document.problems).toEqual([]);
    expect(document.value).toEqual({ a: 1, list: [{ name: "x", on: true }, null] });
    expect(document.locate(["a"])).toEqual({ line: 1, column: 4 });
    expect(document.locateName(["list", 0, "on"])).toEqual({ line: 3, column: 16 });
    expect(document.locate(["list", 0, "on"])).toEqual({ line: 3, column: 20 });
  });

  test("locates an absent value at its parent", () => {
    const document = readYaml("server: { port: 1 }\nproviders:\n  - id: x\n");
    expect(document.locate(["providers", 0, "base_url"])).toEqual({ line: 3, column: 5 });
    expect(document.locate(["server", "host"])).toEqual({ line: 1, column: 1 });
  });

  test("reads an empty file as null", () => {
    expect(readYaml("# only a comment\n")).toMatchObject({ value: null, problems: [] });
  });

  test("resolves an alias to its anchor, at the position of the alias", () => {
    const document = readYaml("a: &t { x: 1 }\nb: *t\n");
    expect(document.value).toEqual({ a: { x: 1 }, b: { x: 1 } });
    expect(document.locate(["b"])).toEqual({ line: 2, column: 4 });
  });

  test.each([
    ["a name twice", "a: 1\na: 2\n", 2, "duplicate name"],
    ["an unclosed list", "a: [1, 2\nb: 3\n", 2, "bracket"],
    ["a tab as indentation", "a:\n\tb: 1\n", 2, "tab"],
    ["two documents", "a: 1\n---\nb: 2\n", 2, "second document"],
    ["an unknown alias", "a: *nowhere\n", 1, "alias"],
    ["an unknown tag", "a: !!binary aGk=\n", 1, "tag"],
    ["a reserved name", "__proto__: { x: 1 }\n", 1, "reserved name"],
    ["a number with too many digits", "a: 0.25000000000000000001\n", 1, "too many digits"],
    ["a map as a name", "? { a: 1 }\n: 2\n", 1, "not text"],
  ])("%s is a problem with its line", (_title, text, line, found) => {
    const { problems } = readYaml(text);
    expect(problems.map((problem) => [problem.position?.line, problem.found])).toContainEqual([
      line,
      expect.stringContaining(found),
    ]);
  });

  test("does not quote the file in a problem", () => {
    for (const text of ['a: "\\sk-secret"', "a: *sk-secret", "a: !sk-secret x", "a: sk-secret: x", "a: [sk-secret"]) {
      const { problems } = readYaml(text);
      expect(problems.length).toBeGreaterThan(0);
      expect(JSON.stringify(problems)).not.toContain("secret");
    }
  });

  test("rejects aliases that would expand to billions of values", () => {
    const lines = ["l0: &l0 [x, x, x, x, x, x, x, x, x, x]"];
    for (let level = 1; level < 12; level++) {
      lines.push(
        `l${level}: &l${level} [${Array(10)
          .fill(`*l${level - 1}`)
          .join(", ")}]`,
      );
    }
    expect(readYaml(lines.join("\n")).problems[0]?.found).toBe("too many values");
  });

  test("rejects an alias inside its own anchor", () => {
    expect(readYaml("a: &a [*a]\n").problems.length).toBeGreaterThan(0);
  });

  test.each([["[".repeat(20_000)], [`a: ${"[".repeat(200)}${"]".repeat(200)}`], ["{a: ".repeat(500)]])(
    "values nested too deep are refused (%#)",
    (text) => {
      expect(readYaml(text).problems.map((problem) => problem.found)).toContainEqual(
        expect.stringMatching(/deep|bracket/),
      );
    },
  );

  test("reads a very wide map in reasonable time", () => {
    const text = Array.from({ length: 5_000 }, (_, index) => `n${index}: 1`).join("\n");
    expect(Object.keys(readYaml(text).value as object)).toHaveLength(5_000);
  });
});

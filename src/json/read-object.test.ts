import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readJsonObject } from "./read-object.ts";

const read = (text: string) => readJsonObject(text, new Set(["model", "generationConfig"]));

describe("a member that stands twice is refused, since two readers may take different ones", () => {
  test.each([
    ["max_tokens", '{"model":"a","max_tokens":100000,"max_tokens":5}'],
    ["model", '{"model":"a","model":"a"}'],
    ["n", '{"n":1,"model":"a","\\u006e":2}'],
    ["__proto__", '{"__proto__":1,"__proto__":2}'],
    ["generationConfig.maxOutputTokens", '{"generationConfig":{"maxOutputTokens":9,"maxOutputTokens":5}}'],
  ])("%s", (name, text) => {
    expect(() => read(text)).toThrow(`'${name}'`);
    expect(() => read(text)).toThrow(expect.objectContaining({ status: 400, param: name }));
  });

  test("others pass, whatever they hold", () => {
    const text = '{"model":{"a":1,"b":{"a":1,"a":2}},"messages":[{"role":1,"role":2}],"__proto__":1}';
    expect(read(text).body.messages).toEqual([{ role: 2 }]);
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string()), (object) => {
        expect(read(JSON.stringify(object)).body).toEqual(JSON.parse(JSON.stringify(object)));
      }),
    );
  });
});

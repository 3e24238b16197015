import { expect, test } from "bun:test";
import fc from "fast-check";
import { mapMembers, scanTopLevel, withMembers } from "./top-level.ts";

const wanted = new Set(["model", "stream_options"]);

function replace(text: string, replacements: Record<string, string>): string {
  return withMembers(text, scanTopLevel(text, wanted).members, replacements);
}

test("only the named value changes, with any spacing and number format around it", () => {
  const text = '{ "a" : 12345678901234567890, "model" :\t"x" ,"b":1e-7,"c":{"model":"inner"} }';
  expect(replace(text, { model: '"up"' })).toBe(
    '{ "a" : 12345678901234567890, "model" :\t"up" ,"b":1e-7,"c":{"model":"inner"} }',
  );
});

test("both occurrences of a duplicate key are replaced", () => {
  expect(replace('{"model":"a","model":"b"}', { model: '"up"' })).toBe('{"model":"up","model":"up"}');
});

test("an escaped key is recognised", () => {
  expect(replace('{"mod\\u0065l":"a"}', { model: '"up"' })).toBe('{"mod\\u0065l":"up"}');
});

test("a value inside a string is not a member", () => {
  const text = '{"content":"\\\\\\",\\"model\\":\\"x\\"","model":"a"}';
  expect(replace(text, { model: '"up"' })).toBe(text.replace('"a"}', '"up"}'));
});

test("an absent member is added at the end", () => {
  expect(replace('{"model":"a"}', { stream_options: "{}" })).toBe('{"model":"a","stream_options":{}}');
  expect(replace("{ }", { model: "1" })).toBe('{ "model":1}');
});

test("depth counts arrays and objects", () => {
  expect(scanTopLevel("{}", wanted).depth).toBe(1);
  expect(scanTopLevel('{"a":[[{"b":"]]]]"}]]}', wanted).depth).toBe(4);
});

test("for any JSON object, the other members are kept and the replacement is set", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(0, 1, 2), (object, space) => {
      const text = JSON.stringify({ ...object, model: "before" }, null, space);
      const parsed: unknown = JSON.parse(replace(text, { model: '"after"', stream_options: '{"include_usage":true}' }));
      expect(parsed).toEqual(
        JSON.parse(JSON.stringify({ ...object, model: "after", stream_options: { include_usage: true } })),
      );
    }),
  );
});

test("each occurrence of a wanted member is changed, and nothing else", () => {
  const text = '{"b":{"a":1},"a" : 1,\n"a":[2,"a"] ,"c":1}';
  expect(mapMembers(text, new Set(["a"]), (key, value) => `<${key} ${value}>`)).toBe(
    '{"b":{"a":1},"a" : <a 1>,\n"a":<a [2,"a"]> ,"c":1}',
  );
  expect(mapMembers("null", new Set(["a"]), () => "changed")).toBe("null");
});

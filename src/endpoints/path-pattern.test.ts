import { expect, test } from "bun:test";
import fc from "fast-check";
import { compilePath, unescapePath } from "./path-pattern.ts";

test.each([
  ["/v1/chat", "/v1/chat", {}],
  ["/v1/chat", "/v1/chat/", null],
  ["/v1/chat", "/v1/chats", null],
  ["/v1/chat", "/x/v1/chat", null],
  ["/v1/responses/{id}", "/v1/responses/resp_1", { id: "resp_1" }],
  ["/v1/responses/{id}", "/v1/responses/", null],
  ["/v1/responses/{id}", "/v1/responses/a/b", null],
  ["/v1/responses/{id}/cancel", "/v1/responses/a/cancel", { id: "a" }],
  ["/v1/responses/{id}/cancel", "/v1/responses/a/b/cancel", null],
  ["/v1/models/{id+}", "/v1/models/a/b", { id: "a/b" }],
  ["/v1/models/{id+}", "/v1/models/", null],
  ["/v1beta/models/{model+}:generateContent", "/v1beta/models/a/b:c:generateContent", { model: "a/b:c" }],
  ["/v1beta/models/{model+}:generateContent", "/v1beta/models/a:generateContentX", null],
  ["/v1beta/models/{model+}:generateContent", "/v1beta/models/:generateContent", null],
  ["/v1/{kind}/{id+}/end", "/v1/things/a/b/end", { kind: "things", id: "a/b" }],
])("%s at %s: %j", (pattern, path, parameters: Record<string, string> | null) => {
  const found = compilePath(pattern).match(path);
  expect(found === null ? null : { ...found }).toEqual(parameters);
});

test("characters with a meaning in regular expressions are literal in a path", () => {
  const pattern = compilePath("/v1.0/(a|b)/{id}?*");
  expect(pattern.match("/v1.0/(a|b)/x?*")).toMatchObject({ id: "x" });
  expect(pattern.match("/v1x0/(a|b)/x?*")).toBeNull();
  expect(pattern.match("/v1.0/a/x?*")).toBeNull();
});

test("a name of any characters is found again, slashes and all", () => {
  const name = fc.oneof(fc.string({ unit: "grapheme", minLength: 1 }), fc.constantFrom("a\nb", "\u2028"));
  fc.assert(
    fc.property(name, (model) => {
      expect(compilePath("/m/{model+}:go").match(`/m/${model}:go`)).toMatchObject({ model });
      if (!model.includes("/")) expect(compilePath("/m/{model}/x").match(`/m/${model}/x`)).toMatchObject({ model });
    }),
  );
});

test("a path is unescaped once, and unchanged if it is badly escaped", () => {
  expect(unescapePath("/v1/models/a%2Fb%20c")).toBe("/v1/models/a/b c");
  expect(unescapePath("/v1/models/%252F")).toBe("/v1/models/%2F");
  expect(unescapePath("/v1/models/100%")).toBe("/v1/models/100%");
  expect(unescapePath("/v1/models/a%00b%00")).toBe("/v1/models/a\ufffdb\ufffd");
  expect(unescapePath("/v1/models/%ff")).toBe("/v1/models/%ff");
  expect(unescapePath("/v1/models/plain")).toBe("/v1/models/plain");
});

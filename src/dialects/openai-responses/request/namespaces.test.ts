import { expect, test } from "bun:test";
import fc from "fast-check";
import { decodeTools } from "./decode-tools.ts";
import { decodeResponsesRequest } from "./decode-request.ts";
import { flatName, openNameRestorer } from "./namespaces.ts";

const call = (name: string) => ({ type: "tool-call", kind: "function", id: "c", name, input: "{}" }) as const;
const group = (name: string, ...tools: object[]) => ({ type: "namespace", name, description: "About.", tools });

test("a namespace and a name become one name that every vendor accepts, the same each time", () => {
  expect(flatName({ namespace: "crm", name: "find" })).toBe("crm__find");
  expect(flatName({ namespace: "mcp__github__", name: "list" })).toBe("mcp__github__list");
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1, maxLength: 100 }), (namespace, name) => {
      const flat = flatName({ namespace, name });
      expect(flat).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      expect(flatName({ namespace, name })).toBe(flat);
    }),
  );
});

test("any names are put back", () => {
  const word = fc.stringMatching(/^[a-zA-Z0-9_.-]{1,50}$/);
  fc.assert(
    fc.property(word, fc.uniqueArray(word, { minLength: 1, maxLength: 3 }), (namespace, names) => {
      const tools = [group(namespace, ...names.map((name) => ({ type: "function", name })))];
      const decoded = decodeTools(tools, []) ?? [];
      const restore = openNameRestorer(tools);
      const restored = decoded.map((tool) => (tool.type === "native" ? null : restore(call(tool.name))));
      expect(restored).toMatchObject(names.map((name) => ({ namespace, name })));
      expect(restore(call("other"))).toEqual(call("other"));
    }),
  );
});

test("tools of a namespace are ordinary tools, with their paths; the first has the group's description", () => {
  const parameters = { type: "object", properties: {} };
  const find = { type: "function", name: "find", description: "Finds.", parameters, strict: true };
  const write = { type: "custom", name: "write", format: { type: "text" } };
  expect(decodeTools([{ type: "function", name: "find" }, group("crm", find, write)], [])).toMatchObject([
    { type: "function", name: "find", path: "tools[0]" },
    {
      type: "function",
      name: "crm__find",
      description: "Finds.\n\ncrm: About.",
      parameters,
      strict: true,
      path: "tools[1].tools[0]",
    },
    { type: "custom", name: "crm__write", description: undefined, path: "tools[1].tools[1]" },
  ]);
});

test("calls, choices and allowed tools name the same tools", () => {
  const request = decodeResponsesRequest({
    model: "m",
    input: [
      { role: "user", content: "Hi" },
      { type: "function_call", call_id: "c", namespace: "crm", name: "find", arguments: "{}" },
      { type: "function_call_output", call_id: "c", namespace: "crm", name: "find", output: "Ann" },
    ],
    tools: [group("crm", { type: "function", name: "find" })],
    tool_choice: {
      type: "allowed_tools",
      mode: "auto",
      tools: [{ type: "function", namespace: "crm", name: "find" }],
    },
  });
  expect(request.messages[1]?.parts).toMatchObject([{ type: "tool-call", name: "crm__find" }]);
  expect(request.messages[2]?.parts).toMatchObject([{ type: "tool-result", name: "crm__find" }]);
  expect(request.toolChoice).toEqual({ type: "allowed", mode: "auto", names: ["crm__find"] });
  expect(request.unknownFields).toBeUndefined();
});

test("a duplicate name, and a tool that is not a function, are refused with their path", () => {
  const find = { type: "function", name: "find" };
  const refused = (param: string) => expect.objectContaining({ status: 400, param });
  expect(() => decodeTools([{ ...find, name: "crm__find" }, group("crm", find)], [])).toThrow(
    refused("tools[1].tools[0].name"),
  );
  expect(() => decodeTools([group("crm", { type: "web_search" })], [])).toThrow(refused("tools[0].tools[0].type"));
});

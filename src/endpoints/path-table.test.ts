import { describe, expect, test } from "bun:test";
import { createDialects } from "../dialects/dialect.ts";
import { openaiChat } from "../dialects/openai-chat/dialect.ts";
import { chat } from "../dialects/openai-chat/chat.ts";
import { dialects } from "../dialects/registry.ts";
import { createPathTable } from "./path-table.ts";

const table = createPathTable(dialects);

/** A path that a pattern stands for. */
const exampleOf = (pattern: string) =>
  pattern.replace("{model+}", "a/model:1").replace("{id+}", "an/id").replace("{id}", "id");

const operations = dialects.all.flatMap((dialect) =>
  dialect.operations.flatMap((operation) =>
    operation.paths.map((path) => [operation.method, path, operation] as const),
  ),
);

test("there are operations to find", () => {
  expect(operations.length).toBeGreaterThan(5);
});

test.each(operations)("%s %s leads to its operation", (method, path, operation) => {
  const found = table.find(exampleOf(path));
  expect(found?.entry.path).toBe(path);
  expect(found?.entry.operations[method]).toBe(operation);
  if (path.includes("{model+}")) expect(found?.parameters.model).toBe("a/model:1");
});

test.each(table.entries.map(({ path }) => [path]))("%s is found, and answers something", (path) => {
  const found = table.find(exampleOf(path));
  expect(found?.entry.path).toBe(path);
  const { operations, handlers } = found?.entry ?? { operations: {}, handlers: {} };
  expect(Object.keys({ ...operations, ...handlers })).not.toEqual([]);
  // A method is answered by one of the two.
  for (const method of Object.keys(operations)) expect(handlers).not.toHaveProperty(method);
});

describe("what is more particular comes first", () => {
  test.each([
    ["/v1/models", "/v1/models", {}],
    ["/v1/models/a/b", "/v1/models/{id+}", { id: "a/b" }],
    ["/v1/models/a:other", "/v1/models/{id+}", { id: "a:other" }],
    ["/v1beta/models/a/b:countTokens", "/v1beta/models/{model+}:countTokens", { model: "a/b" }],
    ["/v1beta/models/a/b:generateContent", "/v1beta/models/{model+}:generateContent", { model: "a/b" }],
    ["/v1beta/models/a:streamGenerateContent", "/v1beta/models/{model+}:streamGenerateContent", { model: "a" }],
    ["/v1/responses/resp_1/input_items", "/v1/responses/{id}/input_items", { id: "resp_1" }],
    ["/v1/responses", "/v1/responses", {}],
  ])("%s is found at %s", (path, pattern, parameters) => {
    const found = table.find(path);
    expect(found?.entry.path).toBe(pattern);
    expect({ ...found?.parameters }).toEqual(parameters);
  });

  test.each(["", "/v1", "/v1/chat/completions/", "/v1/responses/a/b", "/V1/models", "/v1beta/models/"])(
    "nothing is at %s",
    (path) => expect(table.find(path)).toBeNull(),
  );
});

test("the paths of a registry are those of its dialects, and several operations share a path by their methods", () => {
  const reading = { ...chat, method: "GET" as const, body: "none" as const };
  const own = createPathTable(createDialects([{ ...openaiChat, operations: [chat, reading] }]));
  expect(own.find("/v1/chat/completions")?.entry.operations).toEqual({ POST: chat, GET: reading });
  expect(own.find("/v1/embeddings")).toBeNull();
  expect(own.find("/v1/models")?.entry.handlers.GET).toBeFunction();
});

describe("two operations at one method and path are an error at start", () => {
  test.each([
    [
      "of two dialects",
      [
        { ...openaiChat, operations: [chat] },
        { ...openaiChat, name: "other", operations: [chat] },
      ],
    ],
    ["of one dialect", [{ ...openaiChat, operations: [chat, { ...chat, endpoint: "other" }] }]],
    ["of one operation", [{ ...openaiChat, operations: [{ ...chat, paths: ["/v1/chat", "/v1/chat"] }] }]],
  ])("%s", (_name, given) => {
    expect(() => createPathTable(createDialects(given))).toThrow(/^Two operations are registered at POST \/v1\/chat/);
  });

  test("an operation may not take one of the gateway's own paths", () => {
    const reading = { ...chat, method: "GET" as const, body: "none" as const, paths: ["/readyz"] };
    const given = createDialects([{ ...openaiChat, operations: [reading] }]);
    expect(() => createPathTable(given)).toThrow("Two operations are registered at GET /readyz.");
  });

  test("patterns that differ in the name of a placeholder alone are the same path", () => {
    const named = { ...chat, paths: ["/v1/things/{model+}", "/v1/things/{id+}"] };
    const given = createDialects([{ ...openaiChat, operations: [named] }]);
    expect(() => createPathTable(given)).toThrow("Two operations are registered at POST /v1/things/{id+}");
  });
});

import { expect, test } from "bun:test";
import { decodeResponsesRequest } from "./decode-request.ts";
import { continuedInput, inputItemsOf, listInputItems, responseOfInputItem, storedItemsOf } from "./stored-items.ts";

const said = { id: "msg_9", type: "message", role: "assistant", content: [{ type: "output_text", text: "Hi" }] };

test("a text is listed as a message with an id that is the same each time", () => {
  const [item, ...more] = inputItemsOf("Hello", "resp_1");
  expect(more).toEqual([]);
  expect(item).toEqual({
    id: "msg_1i0000",
    type: "message",
    role: "user",
    status: "completed",
    content: [{ type: "input_text", text: "Hello" }],
  });
  expect(inputItemsOf("Hello", "resp_1")).toEqual([item ?? {}]);
  expect(inputItemsOf("Hello", "resp_2")[0]?.id).toBe("msg_2i0000");
});

test("an id made by the gateway leads to its response", () => {
  expect(responseOfInputItem("msg_1i0000")).toBe("resp_1");
  expect(responseOfInputItem("fco_01k9qi0e0i00ff")).toBe("resp_01k9qi0e0");
  for (const other of ["msg_10000", "msg_9", "msg_i0000", "i0000", ""]) expect(responseOfInputItem(other)).toBeNull();
});

test("items keep their ids, and get one if they have none", () => {
  const call = { type: "function_call", id: "fc_1", call_id: "a", name: "f", arguments: "{}" };
  const output = { type: "function_call_output", call_id: "a", output: "1" };
  const [first, second, third] = inputItemsOf([call, output, { role: "assistant", content: "Hi" }], "resp_1");
  expect(first).toEqual(call);
  expect(second).toEqual({ ...output, id: expect.stringMatching(/^fco_/) });
  expect(third).toMatchObject({ content: [{ type: "output_text", text: "Hi", annotations: [] }] });
});

test("a continued conversation reads as one that was sent whole", () => {
  const stored = storedItemsOf("Hello", [said], "resp_1");
  const input = continuedInput(stored, "And now?");
  const { messages } = decodeResponsesRequest({ model: "m", input });
  expect(
    messages.map(({ role, parts }) => [role, parts.map((part) => (part.type === "text" ? part.text : ""))]),
  ).toEqual([
    ["user", ["Hello"]],
    ["assistant", ["Hi"]],
    ["user", ["And now?"]],
  ]);
});

test("pages of input items follow each other in both orders", () => {
  const items = ["a", "b", "c"].map((id) => ({ id }));
  const page = listInputItems(items, { limit: 2, order: "desc", after: null });
  expect(page).toEqual({
    object: "list",
    data: [{ id: "c" }, { id: "b" }],
    first_id: "c",
    last_id: "b",
    has_more: true,
  });
  const next = listInputItems(items, { limit: 2, order: "desc", after: "b" });
  expect(next).toEqual({ object: "list", data: [{ id: "a" }], first_id: "a", last_id: "a", has_more: false });
  expect(listInputItems([], { limit: 2, order: "asc", after: null })).toMatchObject({
    first_id: null,
    has_more: false,
  });
});

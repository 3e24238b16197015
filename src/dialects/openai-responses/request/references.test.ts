import { expect, test } from "bun:test";
import { referencedIds, resolveReferences } from "./references.ts";

const stored = { id: "msg_1", type: "message", role: "user", content: [] };
const items = [
  { role: "user", content: "a" },
  { type: "item_reference", id: "msg_1" },
  { id: "msg_1" },
  { type: null, id: "rs_2" },
];

test("references are found once each, with and without their type", () => {
  expect(referencedIds(items)).toEqual(["msg_1", "rs_2"]);
  expect(referencedIds("text")).toEqual([]);
  expect(referencedIds([{ role: "user", id: "msg_1", content: "a" }])).toEqual([]);
});

test("references are replaced by their items, and all else is unchanged", () => {
  const lookup = (id: string) => ({ ...stored, id });
  expect(resolveReferences(items, lookup)).toEqual([items[0], stored, stored, { ...stored, id: "rs_2" }]);
});

test("a reference to an unknown item is a 400 that names it", () => {
  const lookup = (id: string) => (id === "msg_1" ? stored : undefined);
  expect(() => resolveReferences(items, lookup)).toThrow(
    expect.objectContaining({ status: 400, param: "input[3].id", message: expect.stringContaining("rs_2") }),
  );
});

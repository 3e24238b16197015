import { expect, test } from "bun:test";
import { readFalError } from "./errors.ts";

test.each<[unknown, object | null]>([
  [{ detail: "Application 'a' not found" }, { message: "Application 'a' not found", param: null }],
  [{ detail: "User is locked. Reason: Exhausted balance. Top up your balance." }, { isOutOfCredit: true }],
  [
    { detail: [{ loc: ["body", "image_size"], msg: "Wrong.", type: "value_error" }] },
    { message: "Wrong.", code: "value_error", param: "size" },
  ],
  [{ detail: [{ loc: ["body", "image_urls", 0], msg: "Wrong." }] }, { param: "image", code: null }],
  [{ detail: [{ loc: ["body", "acceleration"], msg: "Wrong." }] }, { param: null }],
  [{ detail: [] }, null],
  [{ detail: 5 }, null],
  [{ error: "No." }, null],
  [null, null],
])("the error %j is read", (body, expected) => {
  const read = readFalError(body);
  if (expected === null) expect(read).toBeNull();
  else expect(read).toMatchObject(expected);
});

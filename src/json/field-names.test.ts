import { expect, test } from "bun:test";
import { fieldNames, refuseOtherCase } from "./field-names.ts";

const known = fieldNames(["model", "stream", "max_tokens", "generationConfig"]);

test("known names, and names unlike any known one, pass", () => {
  expect(() => refuseOtherCase({ model: "m", generationConfig: {}, my_field: 1, max_tokens_: 1 }, known)).not.toThrow();
});

test.each(["MODEL", "Model", "\u017ftream", "max_to\u212aens", "generationconfig"])(
  "%s is refused by its name",
  (name) => {
    const refused = expect.objectContaining({ status: 400, code: "invalid_parameter", param: name });
    expect(() => refuseOtherCase({ model: "m", [name]: 1 }, known)).toThrow(refused);
  },
);

import { expect, test } from "bun:test";
import { requestFields } from "../src/conversation/fields/fields.ts";
import { matrixFile, supportMatrix } from "./support-matrix.ts";

test("docs/support-matrix.md matches the code (update it with scripts/bun.sh scripts/support-matrix.ts)", async () => {
  expect(await Bun.file(matrixFile).text()).toBe(supportMatrix());
});

test("every field has a row", () => {
  const page = supportMatrix();
  for (const field of Object.keys(requestFields)) expect(page).toContain(`\n| \`${field}\` `);
});

import { expect, test } from "bun:test";
import { requestFields } from "../src/conversation/fields.ts";
import { matrixFile, supportMatrix } from "./support-matrix.ts";

test("the published page says what the code does: scripts/bun.sh scripts/support-matrix.ts writes it anew", async () => {
  expect(await Bun.file(matrixFile).text()).toBe(supportMatrix());
});

test("every field has its row", () => {
  const page = supportMatrix();
  for (const field of Object.keys(requestFields)) expect(page).toContain(`\n| \`${field}\` `);
});

import { expect, test } from "bun:test";
import { mediaSupportFile, mediaSupportPage } from "./media-support.ts";

test("docs/media-support.md matches the code (update it with scripts/bun.sh scripts/media-support.ts)", async () => {
  expect(await Bun.file(mediaSupportFile).text()).toBe(mediaSupportPage());
});

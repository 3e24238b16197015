import { expect, test } from "bun:test";
import { join } from "node:path";

const program = `
  import { soon } from ${JSON.stringify(join(import.meta.dir, "later.ts"))};
  process.on("uncaughtException", (error) => console.log(error.message));
  const say = (word) => ({ runLater() { console.log(word); } });
  soon(say("first"));
  soon({ runLater() { soon(say("added")); throw new Error("thrown"); } });
  soon(say("last"));
  setTimeout(() => soon(say("later")), 1);
`;

test("one that throws runs once, and does not keep others from running", async () => {
  const child = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe", stderr: "inherit" });
  const lines = (await new Response(child.stdout).text()).trim().split("\n");
  expect(lines.toSorted()).toEqual(["added", "first", "last", "later", "thrown"]);
});

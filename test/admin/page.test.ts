import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";

/** The examples of docs/admin-api.md. */

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

test("every example of the page works as it is written", async () => {
  const page = await Bun.file(join(import.meta.dir, "../../docs/admin-api.md")).text();
  const { key } = await gateway.newKey({ admin: true });
  const { id } = await gateway.newKey();
  await Bun.write(
    join(gateway.folder, "prices.json"),
    JSON.stringify({ llama: { input_cost_per_token: 1e-7, output_cost_per_token: 2e-7 } }),
  );
  const blocks = [...page.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, code = ""]) => code);
  const examples = blocks.join("").match(/^admin "/gm) ?? [];
  expect(examples.length).toBeGreaterThan(15);
  // Each answer on a line of its own.
  const script = `set -e\n${blocks.join("").replaceAll("0123456789", id)}`.replace('"$@"\n', '-w "\\n" "$@"\n');
  const child = Bun.spawn(["bash", "-c", script], {
    cwd: gateway.folder,
    env: { ...process.env, GATEWAY: gateway.url, ADMIN_KEY: key },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, errors, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: "" });
  const answers = output.trim().split("\n");
  expect(answers).toHaveLength(examples.length);
  // The test of a search backend says that there was none.
  for (const answer of answers) expect(JSON.parse(answer).error ?? null).toBeNull();
});

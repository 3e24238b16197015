import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";

/** The examples of docs/accounts.md. */

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

test("every example of the page works as it is written", async () => {
  const root = join(import.meta.dir, "../..");
  const page = await Bun.file(join(root, "docs/accounts.md")).text();
  const blocks = [...page.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, code = ""]) => code);
  expect(blocks.length).toBeGreaterThan(4);
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("TOLLGATE_")));
  const child = Bun.spawn(["bash", "-c", `set -e\n${blocks.join("echo\n")}`], {
    cwd: gateway.folder,
    env: {
      ...inherited,
      PATH: `${join(root, "bin")}:${process.env["PATH"] ?? ""}`,
      GATEWAY: gateway.url,
      TOLLGATE_STORAGE_URL: gateway.storageUrl,
    },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, errors, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: "" });
  // The balance covers a part of the output.
  const [, limit = ""] = /x-service-max-tokens: (\d+)/i.exec(output) ?? [];
  expect(Number(limit)).toBeGreaterThan(2_000);
  expect(Number(limit)).toBeLessThan(2_500);
  expect(output).toContain('"object":"chat.completion"');
  expect(output).toContain('"object":"quote"');
  expect(output).toContain("0.50 USD per month for each end user of the account team-a");
  expect(output).toMatch(/Looked at 2 accounts, \d+ entries and 1 record\./);
  expect(output).not.toContain('"error"');
}, 120_000);

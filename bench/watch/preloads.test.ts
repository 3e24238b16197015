import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HeapReport } from "./heap-preload.ts";
import type { LoopReport } from "./holds.ts";
import { openReports } from "./watched.ts";

let folder = "";
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "tollgate-watch-test-"))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a program with a preload, `meanwhile` between two reports. The program prints a line for each line that it is sent. */
async function watched<Report>(
  preload: "loop-preload.ts" | "heap-preload.ts",
  program: string,
  environment: Record<string, string> = {},
): Promise<{ readonly before: Report; readonly after: Report }> {
  const file = join(folder, `${Bun.hash(program)}.ts`);
  writeFileSync(file, program);
  const reports = openReports(preload, folder);
  const env = { ...process.env, ...reports.environment, ...environment };
  const child = Bun.spawn([process.execPath, file], { env, stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  const output = child.stdout.getReader();
  try {
    // "ready"
    await output.read();
    const before = await reports.ask<Report>(child.pid);
    await child.stdin.write("go\n");
    await child.stdin.flush();
    // "done"
    await output.read();
    return { before, after: await reports.ask<Report>(child.pid) };
  } finally {
    child.kill();
    await child.exited;
  }
}

const onInput = `
  process.stdin.once("data", () => void work().then(() => console.log("done")));
  console.log("ready");
`;

/** By the thread's own clock, so that waiting for a core is not counted here either. */
const busyLoop = `
  import { threadCpu } from ${JSON.stringify(join(import.meta.dir, "thread-clock.ts"))};
  const busy = (milliseconds: number) => { for (const start = threadCpu(); threadCpu() - start < milliseconds * 1e6; ); };
`;

describe.skipIf(process.platform !== "linux")("the watch on the event loop", () => {
  test("finds each of 40 busy loops of 5 ms, as long as they are", async () => {
    const { after } = await watched<LoopReport>(
      "loop-preload.ts",
      `${busyLoop} async function work() { for (let i = 0; i < 40; i++) { busy(5); await Bun.sleep(8); } } ${onInput}`,
    );
    const [above2, above5, , above50] = after.held;
    expect(above2?.turns).toBeGreaterThanOrEqual(40);
    expect(above5?.turns).toBeGreaterThanOrEqual(40);
    // Time taken by another guest of the machine looks like running.
    expect(above5?.milliseconds).toBeWithin(200, 300);
    expect(above50?.turns).toBe(0);
  });

  test("finds none in a process that has little to do", async () => {
    const { after } = await watched<LoopReport>(
      "loop-preload.ts",
      `${busyLoop} async function work() { for (let i = 0; i < 40; i++) { busy(0.2); await Bun.sleep(8); } } ${onInput}`,
    );
    expect(after.turns).toBeGreaterThan(40);
    // Now and then another guest of the machine takes the core: some, but not one for each piece of work.
    expect(after.held[0]?.turns).toBeLessThan(10);
  });

  test("finds a turn that blocks and does not run", async () => {
    const { after } = await watched<LoopReport>(
      "loop-preload.ts",
      `async function work() { for (let i = 0; i < 10; i++) { await Bun.sleep(5); Bun.sleepSync(20); } } ${onInput}`,
    );
    expect(after.held[2]?.turns).toBeGreaterThanOrEqual(10);
    expect(after.blocked).toBeGreaterThan(150);
  });
});

describe.skipIf(process.platform !== "linux")("the watch on the heap", () => {
  test("counts what was allocated, kept or not, while nothing is collected", async () => {
    const { before, after } = await watched<HeapReport>(
      "heap-preload.ts",
      `const one: { last?: object } = {};
       async function work() { for (let i = 0; i < 100_000; i++) one.last = { a: i, b: i, c: i, d: i }; } ${onInput}`,
      { BUN_JSC_useGC: "0", BUN_GC_TIMER_DISABLE: "1" },
    );
    // A header of 8 bytes, one of 8 for properties beyond, and four properties of 8.
    expect((after.objects - before.objects) / 100_000).toBeWithin(48, 60);
  });
});

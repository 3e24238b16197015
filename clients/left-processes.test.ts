import { expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endProcessesOf } from "./left-processes.ts";
import { runProgram } from "./program.ts";

/** A program that leaves another behind in a session of its own, and tells its process id. */
const leave = (command: string) => ["sh", "-c", `setsid ${command} > /dev/null 2>&1 < /dev/null & echo $!`];

test.skipIf(!existsSync("/proc/self/environ"))(
  "ends what programs left in the background, and nothing else",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "tollgate-left-"));
    const surroundings = { home: folder, proxyUrl: "http://127.0.0.1:9", signal: AbortSignal.timeout(10_000) };
    const other = Bun.spawn(["sleep", "60"], { cwd: "/" });
    const left = await Promise.all(
      [leave("sleep 61"), leave("env -i sleep 62"), leave(`env -i -C / sh -c 'sleep 63; : ${folder}'`)].map((command) =>
        runProgram(command, {}, surroundings),
      ),
    );
    expect((await endProcessesOf(folder)).map(({ pid }) => pid)).toEqual(
      expect.arrayContaining(left.map(({ stdout }) => Number(stdout))),
    );
    expect(await endProcessesOf(folder)).toEqual([]);
    expect(other.exitCode).toBeNull();
    other.kill();
    await other.exited;
    rmSync(folder, { recursive: true });
  },
);

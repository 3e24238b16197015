import { expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endProcessesOf } from "./left-processes.ts";
import { runProgram } from "./program.ts";

test.skipIf(!existsSync("/proc/self/environ"))(
  "ends what programs left in the background, and nothing else",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "tollgate-left-"));
    const surroundings = { home: folder, proxyUrl: "http://127.0.0.1:9", signal: AbortSignal.timeout(10_000) };
    const other = Bun.spawn(["sleep", "60"], { cwd: "/" });
    // Recognised by its environment, by its working directory, and by its command line.
    const places = [
      { environment: "env -C /", ready: '"$HOME"/0' },
      { environment: "env -i", ready: "1" },
      { environment: "env -i -C /", ready: join(folder, "2") },
    ];
    const left = await Promise.all(places.map((place, index) => runProgram(leave(place, index), {}, surroundings)));
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

/** A program that leaves another in a session of its own, tells its process id, and ends once the other runs. */
function leave(place: { readonly environment: string; readonly ready: string }, index: number): string[] {
  const background = `setsid ${place.environment} sh -c 'echo > ${place.ready}; sleep 60; :' > /dev/null 2>&1 < /dev/null`;
  return ["sh", "-c", `${background} & echo $!; while [ ! -e ${index} ]; do sleep 0.01; done`];
}

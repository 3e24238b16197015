import { afterAll, beforeAll, expect, test } from "bun:test";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** `bin/tollgate` starts the build only if it is newer than all that it was made from. */

const root = join(import.meta.dir, "../..");
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-launcher-"));
  cpSync(join(root, "bin"), join(folder, "bin"), { recursive: true });
  for (const name of ["scripts", "src/room", "build"]) mkdirSync(join(folder, name), { recursive: true });
  cpSync(join(root, "scripts/find-bun.sh"), join(folder, "scripts/find-bun.sh"));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "src/main.ts"), 'console.log("sources");');
  writeFileSync(join(folder, "src/room/file.ts"), "");
  writeFileSync(join(folder, "package.json"), "{}");
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function started(): Promise<string> {
  const child = Bun.spawn([join(folder, "bin/tollgate")], { stdout: "pipe", stderr: "inherit" });
  return (await new Response(child.stdout).text()).trim();
}

/** Makes all files as old as each other, and the build newer by a second. */
function build(): void {
  writeFileSync(join(folder, "build/main.js"), 'console.log("build");');
  for (const name of ["src", "src/main.ts", "src/room", "src/room/file.ts", "package.json"]) touch(name, 1_000);
  touch("build/main.js", 1_001);
}

function touch(name: string, seconds: number): void {
  utimesSync(join(folder, name), seconds, seconds);
}

test("without a build the sources are started", async () => {
  rmSync(join(folder, "build/main.js"), { force: true });
  expect(await started()).toBe("sources");
});

test("a build that is newer than the sources is started", async () => {
  build();
  expect(await started()).toBe("build");
});

for (const name of ["src/room/file.ts", "src/room", "package.json"]) {
  test(`a build that is older than ${name} is not started`, async () => {
    build();
    touch(name, 1_002);
    expect(await started()).toBe("sources");
  });
}

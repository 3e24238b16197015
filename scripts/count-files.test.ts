import { describe, expect, test } from "bun:test";
import { filesRunMore, readLcov } from "./count-files/lcov.ts";
import { filesOutside } from "./count-files/outside.ts";
import { warmPathFiles } from "./count-files/warm-path.ts";

const report = (counts: Readonly<Record<string, number>>) =>
  readLcov(
    Object.entries(counts)
      .map(([file, count]) => `TN:\nSF:${file}\nFNF:1\nDA:1,1\nDA:7,${count}\nLF:2\nend_of_record\n`)
      .join(""),
  );

describe("files that a request passes", () => {
  test("are those in which a line ran for each request, without code that runs at start", () => {
    const before = report({ "src/a.ts": 20, "src/start.ts": 900, "src/sometimes.ts": 1 });
    const after = report({ "src/a.ts": 520, "src/start.ts": 900, "src/sometimes.ts": 400, "src/new.ts": 500 });
    expect(filesRunMore(before, after, 500)).toEqual(["src/a.ts", "src/new.ts"]);
  });

  test("are found in the gateway: parts that serve requests, and none that start or configure it", async () => {
    const files = await warmPathFiles();
    const folders = new Set(files.map((file) => file.split("/")[1]));
    for (const folder of ["access", "endpoints", "pipeline", "records", "upstream"]) expect(folders).toContain(folder);
    for (const folder of ["sandbox", "commands", "config"]) expect(folders).not.toContain(folder);
  }, 120_000);
});

describe("files outside a folder", () => {
  test("are those that are not in it, each once", () => {
    const files = ["src/toy/a.ts", "src/toys/b.ts", "src/app.ts", "src/app.ts", "src/toy.ts"];
    expect(filesOutside(files, "./src/toy/")).toEqual(["src/app.ts", "src/toy.ts", "src/toys/b.ts"]);
  });
});

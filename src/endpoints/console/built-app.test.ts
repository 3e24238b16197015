import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createBuiltApp } from "./built-app.ts";

const root = mkdtempSync(join(tmpdir(), "tollgate-console-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

test("a build is found when it is made, and again when it is made anew", async () => {
  const folder = join(root, "build");
  const app = createBuiltApp([join(root, "nothing"), folder]);
  expect(await app.page()).toBeNull();
  expect(await app.asset("app-1.js", false)).toBeNull();

  mkdirSync(join(folder, "assets"), { recursive: true });
  writeFileSync(join(root, "secret.js"), "secret");
  writeFileSync(join(folder, "assets", "app-1.js"), "one()");
  writeFileSync(join(folder, "assets", "app-1.js.gz"), Bun.gzipSync("one()"));
  writeFileSync(join(folder, "assets", "app-1.js.map"), "{}");
  writeFileSync(join(folder, "index.html"), "<p>one</p>");
  const first = await app.page();
  expect(first).toMatchObject({ html: "<p>one</p>" });
  const plain = await app.asset("app-1.js", false);
  expect(plain).toMatchObject({ contentType: "text/javascript; charset=utf-8", isZipped: false });
  expect(Buffer.from(plain?.bytes ?? []).toString()).toBe("one()");
  const zipped = await app.asset("app-1.js", true);
  expect(zipped).toMatchObject({ contentType: "text/javascript; charset=utf-8", isZipped: true });
  expect(Buffer.from(Bun.gunzipSync(new Uint8Array(zipped?.bytes ?? []))).toString()).toBe("one()");
  for (const name of ["app-2.js", "../index.html", "../../secret.js", "..", "", "app-1.js.gz", "app-1.js.map"]) {
    expect(await app.asset(name, false)).toBeNull();
  }

  writeFileSync(join(folder, "assets", "app-2.js"), "two()");
  writeFileSync(join(folder, "index.html"), "<p>two</p>");
  utimesSync(join(folder, "index.html"), new Date(), new Date(Date.now() + 5_000));
  const second = await app.page();
  expect(second).toMatchObject({ html: "<p>two</p>" });
  expect(second?.etag).not.toBe(first?.etag);
  expect(await app.asset("app-2.js", true)).toMatchObject({ isZipped: false });
});

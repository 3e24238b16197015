import { expect, test } from "bun:test";
import { semver } from "bun";
import packageFile from "../package.json" with { type: "json" };
import { type Lock, oldestNode, packagesForNewerNode } from "./lock-engines.ts";

test("no package warns on the Node version of package.json", async () => {
  const lock = (await Bun.file(`${import.meta.dir}/../package-lock.json`).json()) as Lock;
  expect(packagesForNewerNode(lock)).toEqual([]);
  expect(semver.satisfies(oldestNode, packageFile.engines.node)).toBeTrue();
  expect(lock.packages[""]?.engines?.node).toBe(packageFile.engines.node);
});

test("a package that requires a newer Node is found", () => {
  const packages = { "node_modules/a": { engines: { node: ">=22" } }, "node_modules/b": { engines: { node: ">=18" } } };
  expect(packagesForNewerNode({ packages })).toEqual(["node_modules/a"]);
});

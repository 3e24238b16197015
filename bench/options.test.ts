import { describe, expect, test } from "bun:test";
import { parseOptions, sections } from "./options.ts";

describe("the command line of the benchmark", () => {
  test("measures everything unless told otherwise", () => {
    expect(parseOptions([])).toMatchObject({ rounds: 3, seconds: 5, quick: false, jsonFile: null });
    expect(parseOptions([])).toMatchObject({ before: null, peers: [], upstreamPort: null });
    expect([...(parseOptions([])?.only ?? [])]).toEqual([...sections]);
  });

  test("takes some sections, and refuses one that does not exist", () => {
    expect([...(parseOptions(["--only", "json,start"])?.only ?? [])]).toEqual(["json", "start"]);
    expect(() => parseOptions(["--only", "jsn"])).toThrow('--only: "jsn" is not one of json');
  });

  test.each(["0", "1.5", "many", "-2"])("refuses %s rounds", (word) => {
    expect(() => parseOptions([`--rounds=${word}`])).toThrow("--rounds");
  });

  test("takes a second Tollgate, and refuses one that does not exist", () => {
    expect(parseOptions(["--before", import.meta.path])?.before).toBe(import.meta.path);
    expect(() => parseOptions(["--before", "/nowhere/tollgate"])).toThrow('--before: there is no file "/nowhere');
  });

  test("takes a port for the upstream", () => {
    expect(parseOptions(["--upstream-port", "9100"])?.upstreamPort).toBe(9100);
    expect(() => parseOptions(["--upstream-port", "65536"])).toThrow('--upstream-port: "65536" is not a port');
  });

  test("takes several peers", () => {
    const peers = parseOptions(["--peer", "a=http://127.0.0.1:1", "--peer", "b=http://127.0.0.1:2"])?.peers;
    expect(peers?.map(({ name, port }) => [name, port])).toEqual([
      ["a", 1],
      ["b", 2],
    ]);
  });
});

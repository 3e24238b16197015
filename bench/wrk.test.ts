import { describe, expect, test } from "bun:test";
import { parseWrk } from "./wrk.ts";

const good = `Running 5s test @ http://127.0.0.1:9102/v1/chat/completions
  1 threads and 128 connections
  322274 requests in 5.01s, 151.83MB read
Requests/sec:  64384.66
`;

describe("the output of wrk", () => {
  test("is read as answers and seconds", () => {
    expect(parseWrk(good)).toEqual({ answered: 322_274, seconds: 5.01 });
  });

  test("is read in other units of time", () => {
    expect(parseWrk(good.replace("5.01s", "900.00ms")).seconds).toBeCloseTo(0.9);
    expect(parseWrk(good.replace("5.01s", "1.50m")).seconds).toBe(90);
  });

  test.each(["  Non-2xx or 3xx responses: 7", "  Socket errors: connect 0, read 3, write 0, timeout 0"])(
    "is refused where it tells of a fault",
    (fault) => {
      expect(() => parseWrk(`${good}${fault}\n`)).toThrow(fault.trim());
    },
  );
});

import { expect, test } from "bun:test";
import fc from "fast-check";
import { HeaderNames } from "../http/headers.ts";
import { RequestHead } from "./request-head.ts";

function headOf(lines: readonly string[], version = "1.1"): RequestHead {
  const bytes = Buffer.from(
    `GET / HTTP/${version}\r\nHost: x\r\n${lines.map((line) => `${line}\r\n`).join("")}`,
    "latin1",
  );
  return new RequestHead(bytes, 0, bytes.length, 100);
}

test("a header is found by its name in any case, without the blanks around it", () => {
  const head = headOf(["X-One: \t first \t ", "x-two:second", "X-One:third", "X-Empty:", "X-High: \xa0\xe9\xa0"]);
  expect(head.get("x-one")).toBe("first, third");
  expect(head.get("X-TWO")).toBe("second");
  expect(head.get("x-empty")).toBe("");
  expect(head.get("x-high")).toBe("\xa0\xe9\xa0");
  expect(head.get("x-on")).toBeNull();
  expect(head.has("X-two")).toBe(true);
  expect(head.has("x-three")).toBe(false);
});

test("a name is found in no value", () => {
  expect(headOf(["X-One: X-Two: a"]).get("x-two")).toBeNull();
});

test.each([
  ["1.1", [], true],
  ["1.1", ["Connection: close"], false],
  ["1.1", ["Connection: Foo, CLOSE"], false],
  ["1.1", ["connection: keep-alive"], true],
  ["1.1", ["connection: keep-alive", "connection: close"], false],
  ["1.0", [], false],
  ["1.0", ["Connection: Keep-Alive"], true],
])("HTTP/%s with %p keeps the connection: %p", (version, lines, keepAlive) => {
  const head = headOf(lines, version);
  expect([head.fault, head.keepAlive]).toEqual([null, keepAlive]);
});

test("headers are those of Headers", () => {
  const name = fc.stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,12}$/);
  const value = fc.stringMatching(/^[\t\x20-\x7e\x80-\xff]{0,20}$/);
  const special = /^(host|connection|content-length|transfer-encoding|expect|set-cookie)$/i;
  fc.assert(
    fc.property(
      fc.array(
        fc.tuple(
          name.filter((text) => !special.test(text)),
          value,
        ),
        { maxLength: 20 },
      ),
      (fields) => {
        const head = headOf(fields.map(([name, value]) => `${name}: ${value}`));
        expect(head.fault).toBeNull();
        const headers = new Headers({ host: "x" });
        for (const [name, value] of fields) headers.append(name, value);
        for (const [name] of fields) {
          expect(head.get(name)).toBe(headers.get(name));
          expect(head.get(name.toUpperCase())).toBe(headers.get(name));
          expect(head.has(name)).toBe(true);
        }
      },
    ),
  );
});

test("whether any header of a set is there, is found in one pass", () => {
  const name = fc.stringMatching(/^[abAB_-]{1,4}$/);
  fc.assert(
    fc.property(fc.array(name, { maxLength: 8 }), fc.array(name, { minLength: 1, maxLength: 8 }), (given, wanted) => {
      const head = headOf(given.map((each) => `${each}: x`));
      expect(head.hasAny(new HeaderNames(wanted))).toBe(wanted.some((each) => head.has(each)));
    }),
  );
});

import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { CsvError, readCsv } from "./read-csv.ts";

const rowsOf = (text: string) => [...readCsv(text)];

test("whatever fields are written, quoted or not, are read back", () => {
  const field = fc.string({ unit: fc.constantFrom("a", "1", ",", '"', "\n", "\r\n", " ", "é"), maxLength: 6 });
  const table = fc.array(fc.array(field, { minLength: 1, maxLength: 4 }), { maxLength: 6 });
  fc.assert(
    fc.property(table, fc.constantFrom("\n", "\r\n", "\r"), fc.boolean(), (rows, end, isEnded) => {
      const write = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
      const text = rows.map((row) => row.map(write).join(",")).join(end);
      // An empty line is no row.
      expect(rowsOf(isEnded ? text + end : text)).toEqual(rows.filter((row) => row.length > 1 || row[0] !== ""));
    }),
  );
});

test("any text is rows or an error that names the line", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("a", ",", '"', "\n", "\r"), maxLength: 30 }), (text) => {
      try {
        expect(rowsOf(text).every((row) => row.length > 0)).toBe(true);
      } catch (error) {
        expect(error).toBeInstanceOf(CsvError);
        expect(String(error)).toMatch(/line \d+/);
      }
    }),
  );
});

test("a byte order mark is no part of the first field", () => {
  expect(rowsOf("\ufeffa,b\n1,2")).toEqual([
    ["a", "b"],
    ["1", "2"],
  ]);
});

import { expect, test } from "bun:test";
import { formatTable } from "./table.ts";

test("columns are aligned, numbers to the right, and no line ends in spaces", () => {
  const rows = [
    ["MODEL", "USD", "PER"],
    ["a", "10.00", "image"],
    ["longer", "0.25", ""],
  ];
  expect(formatTable(rows, [1])).toBe("MODEL     USD  PER\na       10.00  image\nlonger   0.25");
});

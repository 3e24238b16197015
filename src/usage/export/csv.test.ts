import { expect, test } from "bun:test";
import { csvLine } from "./csv.ts";

test.each([
  [["a", 1, null, true], "a,1,,true"],
  [["a,b", 'say "x"', "two\nlines"], '"a,b","say ""x""","two\nlines"'],
  [["=1+1", "+a", "-b", "@c", "\tx"], "'=1+1,'+a,'-b,'@c,'\tx"],
  [["\n=1+1", "\uff1d1+1", "\uff0ba"], `"'\n=1+1",'\uff1d1+1,'\uff0ba`],
  [["-1", "+2.5", -3, "-", "-1-1"], "-1,+2.5,-3,'-,'-1-1"],
  [['=cmd|"x"'], `"'=cmd|""x"""`],
] as const)("%j", (cells, line) => {
  expect(csvLine(cells)).toBe(`${line}\r\n`);
});

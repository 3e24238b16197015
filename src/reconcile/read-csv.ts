/** A row that cannot be read. Its message names the line. */
export class CsvError extends Error {
  override readonly name = "CsvError";
}

const quote = '"';

/**
 * The rows of a CSV text as RFC 4180 has it: fields may be quoted, and then hold commas, quotes twice and line ends. Lines
 * end with CRLF, LF or CR; empty ones are left out. Throws a `CsvError`.
 */
export function* readCsv(text: string): Generator<string[]> {
  let at = text.startsWith("\ufeff") ? 1 : 0;
  let line = 1;
  let row: string[] = [];
  while (at < text.length) {
    let field: string;
    if (text[at] === quote) {
      const startLine = line;
      field = "";
      for (at += 1; ; at += 2) {
        const end = text.indexOf(quote, at);
        if (end < 0) throw new CsvError(`The quote in line ${startLine} is not closed.`);
        field += text.slice(at, end);
        at = end;
        if (text[end + 1] !== quote) break;
        field += quote;
      }
      at += 1;
      line += field.split("\n").length - 1;
      if (at < text.length && !/[,\r\n]/.test(text[at] ?? "")) {
        throw new CsvError(`There is text behind a quoted field in line ${line}.`);
      }
    } else {
      const start = at;
      while (at < text.length && text[at] !== "," && text[at] !== "\r" && text[at] !== "\n") at += 1;
      field = text.slice(start, at);
    }
    row.push(field);
    if (text[at] === ",") {
      at += 1;
      if (at < text.length) continue;
      row.push("");
    }
    if (text[at] === "\r" && text[at + 1] === "\n") at += 1;
    at += 1;
    line += 1;
    if (row.length > 1 || row[0] !== "") yield row;
    row = [];
  }
}

import { reasonPhrases } from "./reason-phrases.ts";

/** Headers of an answer, by name, without those that frame it. */
export type AnswerHeaders = Readonly<Record<string, string>>;

const statusLines: string[] = [];

let dateSecond = -1;
let dateLine = "";

/** Status line, date and headers of an answer as latin1 text, each line ended by CRLF. Throws if a header cannot be sent as it is. */
export function answerHead(status: number, headers: AnswerHeaders): string {
  let head = statusLine(status) + currentDate();
  for (const name in headers) {
    const value = headers[name] ?? "";
    if (!isName(name) || notText.test(value)) throw new Error(`The header ${name} of an answer is malformed.`);
    head += `${name}: ${value}\r\n`;
  }
  return head;
}

function statusLine(status: number): string {
  return (statusLines[status] ??= `HTTP/1.1 ${status} ${reasonPhrases.get(status) ?? ""}\r\n`);
}

function currentDate(): string {
  const now = Date.now();
  const second = Math.floor(now / 1000);
  if (second !== dateSecond) {
    dateSecond = second;
    dateLine = `date: ${new Date(now).toUTCString()}\r\n`;
  }
  return dateLine;
}

/** What would end a header's line, and what latin1 does not have: its lower byte would be sent, which may be a line's end. */
const notText = /[^\t\x20-\x7e\x80-\xff]/;
const token = /^[\w!#$%&'*+.^`|~-]+$/;

const maxNames = 256;
/** Names that were found to be good: they are few, and written in the code. */
const names = new Set<string>();

function isName(name: string): boolean {
  if (names.has(name)) return true;
  if (!token.test(name)) return false;
  if (names.size >= maxNames) names.clear();
  names.add(name);
  return true;
}

import {
  bodyIsChunked,
  carriageReturn,
  colon,
  equals,
  isText,
  isToken,
  lineFeed,
  maxLengthDigits,
  readDigits,
  space,
  valueOf,
  zero,
} from "../../../http/syntax.ts";
import type { ResponseHeaders } from "../exchange.ts";

/** How the body that follows a head is delimited, if neither by its length in bytes nor by chunks. */
export const bodyEndsWithConnection = -2;

const one = 49;

const connectionName = Buffer.from("connection");
const keepAliveName = Buffer.from("keep-alive");
const contentLengthName = Buffer.from("content-length");
const contentEncodingName = Buffer.from("content-encoding");
const transferEncodingName = Buffer.from("transfer-encoding");

/** The head of an answer: what it says of the body and the connection, and its headers on demand. */
export class ResponseHead implements ResponseHeaders {
  status = 0;
  /** Bytes, `bodyIsChunked` or `bodyEndsWithConnection`. */
  body = bodyEndsWithConnection;
  /** Whether the provider keeps the connection open after this answer. */
  keepAlive = true;
  /** For how many seconds the provider keeps an idle connection; Infinity if it does not say. */
  keepAliveSeconds = Infinity;
  /** The content coding in lower case, null if there is none. */
  encoding: string | null = null;
  /** The defect of the head; null if it has none. */
  fault: string | null = null;
  /** Status line and headers, each line ended by CRLF. */
  private readonly text: string;
  /** The Content-Length, -1 if there is none. */
  private length = -1;
  /** The Transfer-Encoding in lower case. */
  private codings = "";
  /** Whether Connection says so. */
  private closes = false;
  private stays = false;

  /** Reads the head that stands in `bytes` from `start` to `end`: lines ended by CRLF, without the empty one. */
  constructor(bytes: Buffer, start: number, end: number, requestIsHead: boolean) {
    this.text = bytes.toString("latin1", start, end);
    this.fault = this.read(bytes, start, end, requestIsHead);
  }

  get(name: string): string | null {
    const pattern = patternOf(name);
    pattern.lastIndex = 0;
    let value: string | null = null;
    for (let match = pattern.exec(this.text); match !== null; match = pattern.exec(this.text)) {
      const line = match[1]?.trimEnd() ?? "";
      value = value === null ? line : `${value}, ${line}`;
    }
    return value;
  }

  /** Returns what is wrong, null if nothing is. This looks at bytes, which is twice as fast as the characters of a string. */
  private read(bytes: Buffer, start: number, end: number, requestIsHead: boolean): string | null {
    const status = readStatus(bytes, start, end);
    if (status < 0) return "it does not begin with an HTTP/1 status line";
    this.status = status;
    const isOld = bytes[start + 7] === zero;
    let at = start + 12;
    while (isText[bytes[at] ?? 0] === 1) at++;
    if (bytes[at] !== carriageReturn || bytes[at + 1] !== lineFeed) return "its status line has a control character";
    at += 2;
    while (at < end) {
      const nameStart = at;
      while (isToken[bytes[at] ?? 0] === 1) at++;
      const nameEnd = at;
      if (nameEnd === nameStart || bytes[at] !== colon) return "a header has a malformed name";
      at++;
      while (isText[bytes[at] ?? 0] === 1) at++;
      if (bytes[at] !== carriageReturn || bytes[at + 1] !== lineFeed) return "a header has a control character";
      at += 2;
      const fault = this.readField(bytes, nameStart, nameEnd, at - 2);
      if (fault !== null) return fault;
    }
    const length = this.length;
    const codings = this.codings;
    this.keepAlive = !this.closes && (!isOld || this.stays);
    if (codings !== "") {
      if (length >= 0) return "it has both a Content-Length and a Transfer-Encoding";
      if (isOld) return "it has a Transfer-Encoding, but speaks HTTP/1.0";
      if (codings !== "chunked") return "its Transfer-Encoding is not chunked";
    }
    if (requestIsHead || status === 204 || status === 304 || status < 200) this.body = 0;
    else if (codings !== "") this.body = bodyIsChunked;
    else if (length >= 0) this.body = length;
    return null;
  }

  /** Notes what one header says of the body or the connection. Returns what is wrong with it, null if nothing is. */
  private readField(bytes: Buffer, start: number, colonAt: number, end: number): string | null {
    switch (colonAt - start) {
      case connectionName.length: // and that of Keep-Alive
        if (equals(bytes, start, connectionName)) this.readConnection(bytes, colonAt + 1, end);
        else if (equals(bytes, start, keepAliveName)) this.readKeepAlive(valueOf(bytes, colonAt + 1, end));
        return null;
      case contentLengthName.length:
        return equals(bytes, start, contentLengthName) ? this.readLength(bytes, colonAt + 1, end) : null;
      case contentEncodingName.length:
        if (equals(bytes, start, contentEncodingName)) this.addCoding(valueOf(bytes, colonAt + 1, end));
        return null;
      case transferEncodingName.length:
        if (!equals(bytes, start, transferEncodingName)) return null;
        this.codings += `${this.codings === "" ? "" : ", "}${valueOf(bytes, colonAt + 1, end)}`;
        return this.codings === "" ? "its Transfer-Encoding is empty" : null;
      default:
        return null;
    }
  }

  private readLength(bytes: Buffer, start: number, end: number): string | null {
    const length = readDigits(bytes, start, end) ?? readLengths(valueOf(bytes, start, end));
    if (length === null) return "its Content-Length is malformed";
    if (this.length >= 0 && this.length !== length) return "it has conflicting Content-Lengths";
    this.length = length;
    return null;
  }

  private readConnection(bytes: Buffer, start: number, end: number): void {
    const value = bytes[start] === space ? start + 1 : start;
    if (end - value === keepAliveName.length && equals(bytes, value, keepAliveName)) {
      this.stays = true;
      return;
    }
    for (const option of valueOf(bytes, start, end).split(",")) {
      if (option.trim() === "close") this.closes = true;
      if (option.trim() === "keep-alive") this.stays = true;
    }
  }

  private readKeepAlive(value: string): void {
    const timeout = /(?:^|[,;\s])timeout\s*=\s*"?(\d{1,9})/.exec(value);
    if (timeout) this.keepAliveSeconds = Number(timeout[1]);
  }

  private addCoding(coding: string): void {
    if (coding === "" || coding === "identity") return;
    this.encoding = this.encoding === null ? coding : `${this.encoding}, ${coding}`;
  }
}

/** The status of a status line, -1 if it is malformed. */
function readStatus(bytes: Buffer, start: number, end: number): number {
  if (end - start < 14) return -1;
  for (let index = 0; index < startOfAnswer.length; index++) {
    if (bytes[start + index] !== startOfAnswer[index]) return -1;
  }
  const minor = bytes[start + 7];
  if ((minor !== zero && minor !== one) || bytes[start + 8] !== space) return -1;
  let status = 0;
  for (let index = start + 9; index < start + 12; index++) {
    const digit = (bytes[index] ?? 0) - zero;
    if (digit < 0 || digit > 9) return -1;
    status = status * 10 + digit;
  }
  const next = bytes[start + 12];
  return status >= 100 && status < 600 && (next === space || next === carriageReturn) ? status : -1;
}

/** The first bytes of every answer. */
export const startOfAnswer = Buffer.from("HTTP/1.");

/** The length of a Content-Length that is oddly written; a list of equal values counts as one. Null if it is malformed or absurd. */
function readLengths(value: string): number | null {
  let length: number | null = null;
  for (const part of value.split(",")) {
    const digits = part.trim();
    if (digits.length > maxLengthDigits || !/^\d+$/.test(digits)) return null;
    const told = Number(digits);
    if (length !== null && told !== length) return null;
    length = told;
  }
  return length;
}

const maxPatterns = 256;
const patterns = new Map<string, RegExp>();

/** Finds the values of a header. The names that are asked for are few, so each has its pattern made once. */
function patternOf(name: string): RegExp {
  let pattern = patterns.get(name);
  if (pattern === undefined) {
    if (patterns.size >= maxPatterns) patterns.clear();
    pattern = new RegExp(`\\n${RegExp.escape(name)}:[ \\t]*([^\\r]*)`, "gi");
    patterns.set(name, pattern);
  }
  return pattern;
}

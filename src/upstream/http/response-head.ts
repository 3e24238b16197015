import type { ResponseHeaders } from "./exchange.ts";

/** How the body that follows a head is delimited: by its length in bytes, or by one of these. */
export const bodyIsChunked = -1;
export const bodyEndsWithConnection = -2;

/** 1 for every byte that may stand in a header's name. */
const isToken = new Uint8Array(256);
for (const character of "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") {
  isToken[character.charCodeAt(0)] = 1;
}

const colon = 58;
const carriageReturn = 13;
const lineFeed = 10;
const tab = 9;

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
  /** What is wrong with the head; null if nothing is. */
  fault: string | null = null;
  /** Status line and headers, each line ended by CRLF. */
  readonly #text: string;
  #lowerCase: string | null = null;

  /** Reads a head: its lines, each ended by CRLF, without the empty line. */
  constructor(text: string, requestIsHead: boolean) {
    this.#text = text;
    this.fault = this.#read(text, requestIsHead);
  }

  get(name: string): string | null {
    const text = (this.#lowerCase ??= this.#text.toLowerCase());
    const wanted = `\n${name.toLowerCase()}:`;
    let value: string | null = null;
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
      const start = at + wanted.length;
      const line = this.#text.slice(start, this.#text.indexOf("\r", start)).trim();
      value = value === null ? line : `${value}, ${line}`;
    }
    return value;
  }

  #read(text: string, requestIsHead: boolean): string | null {
    const minor = text.charCodeAt(7);
    const status = readStatus(text);
    if (status < 0) return "it does not begin with an HTTP/1 status line";
    this.status = status;
    let at = text.indexOf("\r\n") + 2;
    for (let index = 12; index < at - 2; index++) {
      if (isControl(text.charCodeAt(index))) return "its status line has a control character";
    }
    let length = -1;
    let codings: string | null = null;
    let connection = "";
    while (at < text.length) {
      const start = at;
      while (isToken[text.charCodeAt(at)] === 1) at++;
      if (at === start || text.charCodeAt(at) !== colon) return "a header has a malformed name";
      const nameLength = at - start;
      let code: number;
      do code = text.charCodeAt(++at);
      while (!isControl(code));
      if (code !== carriageReturn || text.charCodeAt(at + 1) !== lineFeed) return "a header has a control character";
      at += 2;
      // Only these lengths can be a name that matters here.
      if (nameLength !== 14 && nameLength !== 10 && nameLength !== 17 && nameLength !== 16) continue;
      const name = text.slice(start, start + nameLength).toLowerCase();
      const value = () => text.slice(start + nameLength + 1, at - 2).trim();
      if (name === "content-length") {
        const told = readLength(value());
        if (told < 0) return "its Content-Length is malformed";
        if (length >= 0 && length !== told) return "it has conflicting Content-Lengths";
        length = told;
      } else if (name === "transfer-encoding") {
        codings = codings === null ? value().toLowerCase() : `${codings}, ${value().toLowerCase()}`;
      } else if (name === "connection") {
        connection += `${value().toLowerCase()},`;
      } else if (name === "keep-alive") {
        const timeout = /(?:^|[,;\s])timeout\s*=\s*"?(\d{1,9})/i.exec(value());
        if (timeout) this.keepAliveSeconds = Number(timeout[1]);
      } else if (name === "content-encoding") {
        const coding = value().toLowerCase();
        if (coding !== "" && coding !== "identity") {
          this.encoding = this.encoding === null ? coding : `${this.encoding}, ${coding}`;
        }
      }
    }
    if (connection !== "") {
      const options = connection.split(",").map((option) => option.trim());
      this.keepAlive = minor === 48 ? options.includes("keep-alive") : !options.includes("close");
    } else {
      this.keepAlive = minor !== 48;
    }
    if (codings !== null) {
      if (length >= 0) return "it has both a Content-Length and a Transfer-Encoding";
      if (minor === 48) return "it has a Transfer-Encoding, but speaks HTTP/1.0";
      if (codings !== "chunked") return "its Transfer-Encoding is not chunked";
    }
    if (requestIsHead || status === 204 || status === 304 || status < 200) this.body = 0;
    else if (codings !== null) this.body = bodyIsChunked;
    else if (length >= 0) this.body = length;
    else this.body = bodyEndsWithConnection;
    return null;
  }
}

/** Anything that may not stand in a header's value. */
function isControl(code: number): boolean {
  return (code < 32 && code !== tab) || code === 127;
}

/** The status of a status line, -1 if it is malformed. */
function readStatus(text: string): number {
  if (!text.startsWith("HTTP/1.")) return -1;
  const minor = text.charCodeAt(7);
  if ((minor !== 48 && minor !== 49) || text.charCodeAt(8) !== 32) return -1;
  let status = 0;
  for (let index = 9; index < 12; index++) {
    const digit = text.charCodeAt(index) - 48;
    if (!(digit >= 0 && digit <= 9)) return -1;
    status = status * 10 + digit;
  }
  const next = text.charCodeAt(12);
  return status >= 100 && status < 600 && (next === 32 || next === carriageReturn) ? status : -1;
}

/** The value of a Content-Length, -1 if it is malformed or absurd. A list of equal values counts as one. */
function readLength(value: string): number {
  let length = -1;
  for (const part of value.includes(",") ? value.split(",") : [value]) {
    const digits = part.trim();
    if (digits.length > 15 || !/^\d+$/.test(digits)) return -1;
    const told = Number(digits);
    if (length >= 0 && told !== length) return -1;
    length = told;
  }
  return length;
}

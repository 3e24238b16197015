import type { HeaderNames, SearchableHeaders } from "../http/headers.ts";
import {
  bodyIsChunked,
  carriageReturn,
  colon,
  equals,
  isText,
  isToken,
  lineFeed,
  readDigits,
  space,
  tab,
  valueOf,
  zero,
} from "../http/syntax.ts";

const hostName = Buffer.from("host");
const expectName = Buffer.from("expect");
const connectionName = Buffer.from("connection");
const contentLengthName = Buffer.from("content-length");
const transferEncodingName = Buffer.from("transfer-encoding");
const chunkedValue = Buffer.from("chunked");
const keepAliveValue = Buffer.from("keep-alive");
const version = Buffer.from("HTTP/1.");

/** Longer methods are none. */
export const maxMethodBytes = 32;

/** 1 for every byte that may stand in a Host header: names, addresses, a port. */
const isHost = new Uint8Array(256);
for (const byte of Buffer.from("-._~!$&'()*+,;=%:[]0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")) {
  isHost[byte] = 1;
}

/** 1 for every byte that may stand in a request's target: all that is visible, less the `#` of a fragment. */
const isTarget = new Uint8Array(256).fill(1, 33, 127);
isTarget[35] = 0;

/** The head of a request: what it says of the body and the connection, and its headers on demand. */
export class RequestHead implements SearchableHeaders {
  method = "";
  /** The path and the query as they were written, or `*`. */
  target = "";
  /** Whether the caller speaks HTTP/1.0. */
  isOld = false;
  /** Length of the body in bytes, or `bodyIsChunked`. */
  body = 0;
  /** Whether the caller keeps the connection open after this request. */
  keepAlive = true;
  /** Whether the caller waits for a word before it sends the body. */
  expectsContinue = false;
  /** The defect of the head; null if it has none. */
  fault: string | null;
  /** The status to refuse the request with, if there is a fault. */
  faultStatus = 400;
  /** Request line and headers, each line ended by CRLF. */
  private readonly text: string;
  /** For each header, where its name begins and where its colon stands. */
  private readonly fields: number[] = [];
  private hosts = 0;
  private hasLength = false;
  private closes = false;
  private stays = false;

  /** Reads the head that stands in `bytes` from `start` to `end`: lines ended by CRLF, without the empty one. */
  constructor(bytes: Buffer, start: number, end: number, maxHeaders: number) {
    this.text = bytes.toString("latin1", start, end);
    this.fault = this.read(bytes, start, end, maxHeaders);
  }

  get(name: string): string | null {
    const { fields, text } = this;
    const wanted = wantedName(name);
    let value: string | null = null;
    for (let index = 0; index < fields.length; index += 2) {
      if (!this.isNamed(index, wanted)) continue;
      const end = (fields[index + 2] ?? text.length) - 2;
      const line = trimmed(text, (fields[index + 1] ?? 0) + 1, end);
      value = value === null ? line : `${value}, ${line}`;
    }
    return value;
  }

  has(name: string): boolean {
    const wanted = wantedName(name);
    for (let index = 0; index < this.fields.length; index += 2) if (this.isNamed(index, wanted)) return true;
    return false;
  }

  hasAny(names: HeaderNames): boolean {
    const { fields, text } = this;
    for (let index = 0; index < fields.length; index += 2) {
      const start = fields[index] ?? 0;
      const end = fields[index + 1] ?? 0;
      if (names.mayHave(end - start, text.charCodeAt(start)) && names.has(text.slice(start, end))) return true;
    }
    return false;
  }

  private isNamed(index: number, wanted: Uint8Array): boolean {
    const start = this.fields[index] ?? 0;
    if ((this.fields[index + 1] ?? 0) - start !== wanted.length) return false;
    const { text } = this;
    for (let at = 0; at < wanted.length; at++) {
      const code = text.charCodeAt(start + at);
      if (code !== wanted[at] && !(code >= 65 && code <= 90 && code + 32 === wanted[at])) return false;
    }
    return true;
  }

  /** Returns what is wrong, null if nothing is. */
  private read(bytes: Buffer, start: number, end: number, maxHeaders: number): string | null {
    let at = this.readRequestLine(bytes, start, end);
    if (at < 0) return "its first line is malformed";
    while (at < end) {
      const nameStart = at;
      while (isToken[bytes[at] ?? 0] === 1) at++;
      const colonAt = at;
      if (colonAt === nameStart || bytes[at] !== colon) return "a header has a malformed name";
      at++;
      while (isText[bytes[at] ?? 0] === 1) at++;
      if (bytes[at] !== carriageReturn || bytes[at + 1] !== lineFeed) return "a header has a control character";
      if (this.fields.push(nameStart - start, colonAt - start) > maxHeaders * 2) {
        this.faultStatus = 431;
        return `it has more than ${maxHeaders} headers`;
      }
      const fault = this.readField(bytes, nameStart, colonAt, at);
      if (fault !== null) return fault;
      at += 2;
    }
    if (this.hosts > 1) return "it has several Host headers";
    if (this.hosts === 0 && !this.isOld) return "it has no Host header";
    if (this.isOld && this.body === bodyIsChunked) return "it has a Transfer-Encoding, but speaks HTTP/1.0";
    this.keepAlive = !this.closes && (!this.isOld || this.stays);
    if (this.isOld) this.expectsContinue = false;
    return null;
  }

  /** Returns where the headers begin; -1 if the line is malformed. */
  private readRequestLine(bytes: Buffer, start: number, end: number): number {
    let at = start;
    while (isToken[bytes[at] ?? 0] === 1) at++;
    if (at === start || at - start > maxMethodBytes || bytes[at] !== space) return -1;
    this.method = this.text.slice(0, at - start);
    const targetStart = ++at;
    while (isTarget[bytes[at] ?? 0] === 1) at++;
    if (at === targetStart || bytes[at] !== space) return -1;
    this.target = pathOf(this.text.slice(targetStart - start, at - start), this.method);
    at++;
    if (this.target === "" || end - at < 10) return -1;
    for (let index = 0; index < version.length; index++) if (bytes[at + index] !== version[index]) return -1;
    const minor = (bytes[at + 7] ?? 0) - zero;
    if ((minor !== 0 && minor !== 1) || bytes[at + 8] !== carriageReturn || bytes[at + 9] !== lineFeed) return -1;
    this.isOld = minor === 0;
    return at + 10;
  }

  /** Notes what one header says of the body or the connection. Returns what is wrong with it, null if nothing is. */
  private readField(bytes: Buffer, start: number, colonAt: number, end: number): string | null {
    switch (colonAt - start) {
      case hostName.length:
        if (!equals(bytes, start, hostName)) return null;
        this.hosts++;
        return isHostValue(bytes, colonAt + 1, end) ? null : "its Host header is malformed";
      case expectName.length:
        if (!equals(bytes, start, expectName)) return null;
        this.expectsContinue = true;
        if (valueOf(bytes, colonAt + 1, end) === "100-continue") return null;
        this.faultStatus = 417;
        return "it expects something else than 100-continue";
      case connectionName.length:
        if (equals(bytes, start, connectionName)) this.readConnection(bytes, colonAt + 1, end);
        return null;
      case contentLengthName.length:
        return equals(bytes, start, contentLengthName) ? this.readLength(bytes, colonAt + 1, end) : null;
      case transferEncodingName.length:
        return equals(bytes, start, transferEncodingName) ? this.readCoding(bytes, colonAt + 1, end) : null;
      default:
        return null;
    }
  }

  private readLength(bytes: Buffer, start: number, end: number): string | null {
    if (this.hasLength) return "it has several Content-Length headers";
    if (this.body === bodyIsChunked) return bothFramings;
    this.hasLength = true;
    const length = readDigits(bytes, trimmedStart(bytes, start, end), trimmedEnd(bytes, start, end));
    if (length === null) return "its Content-Length is malformed";
    this.body = length;
    return null;
  }

  private readCoding(bytes: Buffer, start: number, end: number): string | null {
    if (this.hasLength) return bothFramings;
    if (this.body === bodyIsChunked) return "it has several Transfer-Encoding headers";
    const first = trimmedStart(bytes, start, end);
    const last = trimmedEnd(bytes, start, end);
    if (last - first !== chunkedValue.length || !equals(bytes, first, chunkedValue)) {
      return "its Transfer-Encoding is not chunked";
    }
    this.body = bodyIsChunked;
    return null;
  }

  private readConnection(bytes: Buffer, start: number, end: number): void {
    const first = bytes[start] === space ? start + 1 : start;
    if (end - first === keepAliveValue.length && equals(bytes, first, keepAliveValue)) {
      this.stays = true;
      return;
    }
    for (const option of valueOf(bytes, start, end).split(",")) {
      if (option.trim() === "close") this.closes = true;
      if (option.trim() === "keep-alive") this.stays = true;
    }
  }
}

const bothFramings = "it has both a Content-Length and a Transfer-Encoding";

/** The path and query of a request's target; empty if it has neither form that a server must understand. */
function pathOf(target: string, method: string): string {
  if (target.startsWith("/")) return target;
  if (target === "*") return method === "OPTIONS" ? target : "";
  const authority = /^https?:\/\/[^/?]+/i.exec(target);
  if (authority === null) return "";
  const rest = target.slice(authority[0].length);
  return rest.startsWith("/") ? rest : `/${rest}`;
}

function isHostValue(bytes: Buffer, start: number, end: number): boolean {
  let at = trimmedStart(bytes, start, end);
  const last = trimmedEnd(bytes, start, end);
  if (at >= last) return false;
  while (at < last && isHost[bytes[at] ?? 0] === 1) at++;
  return at === last;
}

function trimmedStart(bytes: Buffer, start: number, end: number): number {
  let first = start;
  while (first < end && isBlank(bytes[first])) first++;
  return first;
}

function trimmedEnd(bytes: Buffer, start: number, end: number): number {
  let last = end;
  while (last > start && isBlank(bytes[last - 1])) last--;
  return last;
}

function isBlank(byte: number | undefined): boolean {
  return byte === space || byte === tab;
}

/** The text from `start` to `end` less the blanks around it; not `trim`, to which more than these is white. */
function trimmed(text: string, start: number, end: number): string {
  let first = start;
  let last = end;
  while (first < last && isBlank(text.charCodeAt(first))) first++;
  while (last > first && isBlank(text.charCodeAt(last - 1))) last--;
  return text.slice(first, last);
}

const maxNames = 256;
const names = new Map<string, Uint8Array>();

/** A name in lower case as bytes. The names that are asked for are few. */
function wantedName(name: string): Uint8Array {
  let wanted = names.get(name);
  if (wanted === undefined) {
    if (names.size >= maxNames) names.clear();
    wanted = Buffer.from(name.toLowerCase());
    names.set(name, wanted);
  }
  return wanted;
}

import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";

/** Random numbers that can be had again from their seed. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A whole number from 0 to `limit` - 1. */
  roll(limit: number): number {
    // Mulberry32.
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }

  chance(oneIn: number): boolean {
    return this.roll(oneIn) === 0;
  }

  pick<T>(choices: readonly T[]): T {
    const choice = choices[this.roll(choices.length)];
    if (choice === undefined) throw new Error("There is nothing to choose from.");
    return choice;
  }
}

/** The behaviour of a server, correct or hostile, for one request. */
export interface Script {
  readonly method: "GET" | "POST" | "HEAD";
  readonly pieces: readonly Buffer[];
  /** The server's behaviour after the last piece. */
  readonly ending: "keep" | "close";
  /** The defect of the answer; null if it has none. */
  readonly defect: string | null;
}

const crlf = "\r\n";

/** Makes up an exchange from a seed. */
export function scriptOf(seed: number): Script {
  const dice = new Dice(seed);
  const method = dice.pick(["GET", "POST", "POST", "HEAD"] as const);
  const [defect, spoil] = dice.chance(3) ? dice.pick(Object.entries(defects)) : [null, null];
  const status = dice.pick([200, 200, 200, 200, 201, 202, 204, 304, 400, 404, 429, 500, 503]);
  const version = dice.chance(10) ? "1.0" : "1.1";
  const framing = dice.pick(["length", "length", "chunked", "chunked", "close"] as const);
  const bodyless = method === "HEAD" || status === 204 || status === 304;
  let body = bodyOf(dice);
  const [coding, compress] = dice.chance(6) ? dice.pick(Object.entries(compressors)) : [null, null];
  const headers = [
    `Content-Type: ${dice.pick(["application/json", "text/event-stream", "text/plain; charset=utf-8"])}`,
  ];
  for (let count = dice.roll(6); count > 0; count--) headers.push(randomHeader(dice));
  if (dice.chance(8))
    headers.push(dice.pick(["Connection: close", "connection: Keep-Alive", "Keep-Alive: timeout=5, max=100"]));
  if (compress !== null && body.length > 0) {
    body = compress(body);
    headers.push(`Content-Encoding: ${coding}`);
  }
  let text = "";
  let closes = framing === "close" && !bodyless;
  if (framing === "length") {
    headers.push(
      `${dice.pick(["Content-Length", "content-length", "CONTENT-LENGTH"])}:${dice.pick(["", " ", "  ", "\t"])}${body.length}`,
    );
    text = body.toString("latin1");
  } else if (framing === "chunked" && version === "1.1") {
    headers.push(`Transfer-Encoding: ${dice.pick(["chunked", "Chunked"])}`);
    text = chunksOf(dice, body);
  } else {
    text = body.toString("latin1");
    closes = true;
  }
  const interim = dice.chance(12)
    ? `HTTP/1.1 ${dice.pick(["100 Continue", "103 Early Hints"])}\r\nX-Interim: 1\r\n\r\n`
    : "";
  const reason = dice.pick([" OK", " ", " Not So Good", ""]);
  let head = `HTTP/${version} ${status}${reason}${crlf}${shuffled(dice, headers)
    .map((header) => header + crlf)
    .join("")}${crlf}`;
  if (bodyless) text = "";
  if (spoil !== null) {
    const spoiled = spoil({ head, text, dice });
    head = spoiled.head;
    text = spoiled.text;
    closes = true;
  }
  const answer = Buffer.from(interim + head + text, "latin1");
  return { method, pieces: split(dice, answer), ending: closes || dice.chance(4) ? "close" : "keep", defect };
}

interface Spoilable {
  readonly head: string;
  readonly text: string;
  readonly dice: Dice;
}

type Defect = (answer: Spoilable) => { head: string; text: string };

/** Adds headers before the end of a head. */
const withHeaders =
  (...headers: string[]): Defect =>
  ({ head, text }) => ({ head: head.slice(0, -2) + headers.map((header) => header + crlf).join("") + crlf, text });

/** The ways in which an answer is spoiled. */
const defects: Readonly<Record<string, Defect>> = {
  "cut short": ({ head, text, dice }) => {
    const whole = head + text;
    return { head: whole.slice(0, dice.roll(whole.length)), text: "" };
  },
  "one byte changed": ({ head, text, dice }) => {
    const whole = head + text;
    const at = dice.roll(whole.length);
    return { head: whole.slice(0, at) + String.fromCharCode(dice.roll(256)) + whole.slice(at + 1), text: "" };
  },
  "one byte of the head changed": ({ head, text, dice }) => {
    const at = dice.roll(head.length);
    const byte = dice.pick(["\0", "\r", "\n", " ", ":", "\t", "\x7f", "-", "5", ",", "é"]);
    return { head: head.slice(0, at) + byte + head.slice(at + 1), text };
  },
  "one byte left out": ({ head, text, dice }) => {
    const whole = head + text;
    const at = dice.roll(whole.length);
    return { head: whole.slice(0, at) + whole.slice(at + 1), text: "" };
  },
  "nothing at all": () => ({ head: "", text: "" }),
  "something after it": ({ head, text, dice }) => ({
    head,
    text: text + dice.pick(["x", crlf, "HTTP/1.1 200 OK\r\n\r\n"]),
  }),
  "another protocol": ({ dice }) => ({
    head: dice.pick(["SSH-2.0-x\r\n", "220 smtp ready\r\n", "\x15\x03\x01\0\x02\x02P"]),
    text: "",
  }),
  "another version": ({ head, text, dice }) => ({
    head: head.replace(/^HTTP\/1\.\d/, dice.pick(["HTTP/2", "HTTP/1.2", "http/1.1", "HTTP/11", "HTTP/1.", "HTTP/0.9"])),
    text,
  }),
  "another status": ({ head, text, dice }) => ({
    head: head.replace(/ \d{3}/, dice.pick([" 20", " 2000", " 099", " 600", " 999", " -20", " 2x0", ""])),
    text,
  }),
  "line feeds only": ({ head, text }) => ({ head: head.replaceAll(crlf, "\n"), text }),
  "a folded header": withHeaders("X-Folded: one", " two"),
  "a space before the colon": withHeaders("X-Space : one"),
  "no colon": withHeaders("nonsense"),
  "no name": withHeaders(": one"),
  "a zero byte": withHeaders("X-Zero: a\0b"),
  "a second length": withHeaders("Content-Length: 3"),
  "two lengths": withHeaders("Content-Length: 3", "Content-Length: 4"),
  "a negative length": withHeaders("Content-Length: -3"),
  "an absurd length": withHeaders("Content-Length: 99999999999999999999999"),
  "a length in hexadecimal": withHeaders("Content-Length: 0x3"),
  "chunks besides": withHeaders("Transfer-Encoding: chunked"),
  "another coding": withHeaders("Transfer-Encoding: gzip"),
  "chunks of nonsense": ({ head, text, dice }) => ({
    head: withHeaders("Transfer-Encoding: chunked")({
      head: head.replace(/(Transfer-Encoding|Content-Length):.*\r\n/gi, ""),
      text,
      dice,
    }).head,
    text: dice.pick([
      "-5\r\nhello\r\n0\r\n\r\n",
      "0x5\r\nhello\r\n0\r\n\r\n",
      "5 5\r\nhello\r\n0\r\n\r\n",
      "\r\n",
      "zz\r\n",
      "ffffffffffffffffff\r\nhello",
      "5\r\nhello0\r\n\r\n",
      "4\r\nhello\r\n0\r\n\r\n",
      "5\nhello\n0\n\n",
      "5\r\nhello\r\n",
    ]),
  }),
  "an unknown compression": withHeaders("Content-Encoding: compress"),
  "a compression that is none": ({ head, text, dice }) => ({
    head: withHeaders(`Content-Encoding: ${dice.pick(["gzip", "br", "zstd", "deflate"])}`)({ head, text, dice }).head,
    text,
  }),
};

const compressors: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
};

function bodyOf(dice: Dice): Buffer {
  const length = dice.pick([0, 1, 2, 10, 100, 1_000, dice.roll(20_000)]);
  const body = Buffer.alloc(length);
  for (let at = 0; at < length; at++) body[at] = dice.chance(20) ? dice.roll(256) : 97 + dice.roll(4);
  return body;
}

function randomHeader(dice: Dice): string {
  const name = dice.pick(["X-Request-Id", "x-ratelimit-remaining", "X-Odd!#$%&'*+-.^_`|~", "Server", "x-dup", "X-DUP"]);
  const value = dice.pick(["", "one", " one two ", "\tone", "a, b", '"quoted"', "x".repeat(dice.roll(300)), "é\xff"]);
  return `${name}:${dice.pick(["", " "])}${value}`;
}

function chunksOf(dice: Dice, body: Buffer): string {
  let text = "";
  for (let at = 0; at < body.length;) {
    const size = Math.min(1 + dice.roll(3_000), body.length - at);
    const digits = dice.chance(8) ? size.toString(16).toUpperCase().padStart(6, "0") : size.toString(16);
    const extension = dice.chance(8) ? dice.pick([";a", ";a=b", ';a="b c"', " ;a=b"]) : "";
    text += `${digits}${extension}${crlf}${body.toString("latin1", at, at + size)}${crlf}`;
    at += size;
  }
  return `${text}${dice.pick(["0", "0", "000", "0;end"])}${crlf}${dice.chance(8) ? "X-Trailer: one\r\nX-Other: two\r\n" : ""}${crlf}`;
}

function shuffled(dice: Dice, items: readonly string[]): string[] {
  return items
    .map((item) => ({ item, place: dice.roll(1_000_000) }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

function split(dice: Dice, answer: Buffer): Buffer[] {
  const cuts = dice.chance(3) ? 0 : dice.roll(5);
  const places = Array.from({ length: cuts }, () => dice.roll(answer.length + 1)).sort((a, b) => a - b);
  return [...places, answer.length].map((place, index) => answer.subarray(places[index - 1] ?? 0, place));
}

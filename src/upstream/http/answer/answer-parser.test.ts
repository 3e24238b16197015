import { expect, test } from "bun:test";
import fc from "fast-check";
import { AnswerParser, Found } from "./answer-parser.ts";

/** The findings of a parser for an answer that arrives in these pieces, its body in one. */
function read(pieces: readonly Buffer[], { requestIsHead = false, parser = new AnswerParser() } = {}) {
  parser.reset(requestIsHead);
  const body: Uint8Array[] = [];
  const found = { status: 0, body: "", end: "more", left: false, type: null as string | null };
  for (const piece of pieces) {
    parser.give(piece);
    for (let next = parser.next(); next !== Found.nothing; next = parser.next()) {
      if (next === Found.head) {
        found.status = parser.head?.status ?? 0;
        found.type = parser.head?.get("content-type") ?? null;
      } else if (next === Found.bytes) {
        expect(parser.piece?.length).toBeGreaterThan(0);
        body.push(Buffer.from(parser.piece ?? []));
      } else {
        found.end = next === Found.end ? "end" : parser.fault;
        break;
      }
    }
    if (found.end !== "more") break;
  }
  if (found.end === "more" && parser.mayEndHere) found.end = "may end";
  found.body = Buffer.concat(body).toString("latin1");
  found.left = parser.hasInput;
  return found;
}

const whole = (text: string, requestIsHead = false) => read([Buffer.from(text, "latin1")], { requestIsHead });
const ok = "HTTP/1.1 200 OK\r\n";

test.each<[string, string, { status?: number; body?: string; end: string }]>([
  ["a length", `${ok}Content-Length: 5\r\n\r\nhello`, { status: 200, body: "hello", end: "end" }],
  ["a length in other words", `${ok}cONTENT-lENGTH:5 \t\r\n\r\nhello`, { body: "hello", end: "end" }],
  ["no bytes", `${ok}Content-Length: 0\r\n\r\n`, { body: "", end: "end" }],
  ["equal lengths", `${ok}Content-Length: 5\r\nContent-Length: 5, 5\r\n\r\nhello`, { body: "hello", end: "end" }],
  ["chunks", `${ok}Transfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n`, { body: "hello", end: "end" }],
  [
    "extensions and trailers",
    `${ok}Transfer-Encoding: Chunked\r\n\r\n0005;a=b;c="d"\r\nhello\r\n00 ;x\r\nTrailer: 1\r\nOther: 2\r\n\r\n`,
    { body: "hello", end: "end" },
  ],
  ["the end of the connection", `${ok}\r\nhello`, { body: "hello", end: "may end" }],
  ["no reason phrase", "HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nhi", { body: "hi", end: "end" }],
  ["204", "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", { status: 204, body: "", end: "end" }],
  ["304", "HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n", { status: 304, body: "", end: "end" }],
  [
    "interim answers",
    `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${ok}Content-Length: 2\r\n\r\nhi`,
    { status: 200, body: "hi", end: "end" },
  ],
  ["a cut body", `${ok}Content-Length: 5\r\n\r\nhel`, { body: "hel", end: "more" }],
  ["a cut chunk", `${ok}Transfer-Encoding: chunked\r\n\r\n5\r\nhel`, { body: "hel", end: "more" }],
  ["chunks without their end", `${ok}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n`, { end: "more" }],
])("%s", (_, answer, expected) => {
  expect(whole(answer)).toMatchObject(expected);
});

test("a HEAD request's answer has no body, whatever its length", () => {
  expect(whole(`${ok}Content-Length: 5\r\n\r\n`, true)).toMatchObject({ status: 200, body: "", end: "end" });
});

const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`;

test.each<[string, string, string]>([
  ["another protocol", "SSH-2.0-OpenSSH_9.6\r\n", "it does not begin with an HTTP/1 status line"],
  ["HTTP/2", "HTTP/2 200 OK\r\n\r\n", "it does not begin with an HTTP/1 status line"],
  ["a status of two digits", "HTTP/1.1 20 OK\r\n\r\n", "it does not begin with an HTTP/1 status line"],
  ["a status of four digits", "HTTP/1.1 2000 OK\r\n\r\n", "it does not begin with an HTTP/1 status line"],
  ["a status that is no status", "HTTP/1.1 600 OK\r\n\r\n", "it does not begin with an HTTP/1 status line"],
  ["a switch of protocols", "HTTP/1.1 101 Switching\r\n\r\n", "it switches to a protocol that was not asked for"],
  ["conflicting lengths", `${ok}Content-Length: 5\r\nContent-Length: 6\r\n\r\n`, "it has conflicting Content-Lengths"],
  ["a list of lengths", `${ok}Content-Length: 5, 6\r\n\r\n`, "its Content-Length is malformed"],
  ["a negative length", `${ok}Content-Length: -1\r\n\r\n`, "its Content-Length is malformed"],
  ["a length with a sign", `${ok}Content-Length: +5\r\n\r\n`, "its Content-Length is malformed"],
  ["an empty length", `${ok}Content-Length:\r\n\r\n`, "its Content-Length is malformed"],
  ["a length with letters", `${ok}Content-Length: 0x5\r\n\r\n`, "its Content-Length is malformed"],
  ["an absurd length", `${ok}Content-Length: 99999999999999999999\r\n\r\n`, "its Content-Length is malformed"],
  [
    "a length and chunks",
    `${ok}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n`,
    "it has both a Content-Length and a Transfer-Encoding",
  ],
  ["another coding", `${ok}Transfer-Encoding: gzip, chunked\r\n\r\n`, "its Transfer-Encoding is not chunked"],
  [
    "chunked twice",
    `${ok}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n`,
    "its Transfer-Encoding is not chunked",
  ],
  ["an empty coding", `${ok}Transfer-Encoding:\r\n\r\n`, "its Transfer-Encoding is empty"],
  [
    "chunks in HTTP/1.0",
    "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
    "it has a Transfer-Encoding, but speaks HTTP/1.0",
  ],
  ["a space before the colon", `${ok}Content-Length : 5\r\n\r\n`, "a header has a malformed name"],
  ["a folded header", `${ok}A: b\r\n c\r\n\r\n`, "a header has a malformed name"],
  ["no colon", `${ok}nonsense\r\n\r\n`, "a header has a malformed name"],
  ["a bare line feed", `${ok}A: b\nC: d\r\n\r\n`, "a header has a control character"],
  ["a bare carriage return", `${ok}A: b\rC: d\r\n\r\n`, "a header has a control character"],
  ["a zero byte", `${ok}A: b\0c\r\n\r\n`, "a header has a control character"],
  ["a control character in the status line", "HTTP/1.1 200 O\x01K\r\n\r\n", "its status line has a control character"],
  ["no chunk size", `${chunked}\r\nhello`, "its chunks are malformed"],
  ["a chunk size with a sign", `${chunked}-5\r\nhello`, "its chunks are malformed"],
  ["a chunk size with a prefix", `${chunked}0x5\r\nhello`, "its chunks are malformed"],
  ["a chunk size with a space before it", `${chunked} 5\r\nhello`, "its chunks are malformed"],
  ["an absurd chunk size", `${chunked}ffffffffffffffff\r\nhello`, "its chunks are malformed"],
  ["a chunk longer than its size", `${chunked}4\r\nhello\r\n0\r\n\r\n`, "its chunks are malformed"],
  ["a chunk size ended by a line feed", `${chunked}5\nhello\r\n0\r\n\r\n`, "its chunks are malformed"],
  ["a line feed in an extension", `${chunked}5;a\nhello\r\n0\r\n\r\n`, "its chunks are malformed"],
  ["extensions without end", `${chunked}5;${"a".repeat(65_536)}\r\n`, "its chunks are malformed"],
  ["trailers without end", `${chunked}0\r\n${"A: b\r\n".repeat(20_000)}`, "its chunks are malformed"],
  ["a head without end", `${ok}${"A: b\r\n".repeat(20_000)}`, "its head is larger than 65536 bytes"],
  ["a head that is too large", `${ok}A: ${"b".repeat(65_536)}\r\n\r\n`, "its head is larger than 65536 bytes"],
  [
    "interim answers without end",
    "HTTP/1.1 100 Continue\r\n\r\n".repeat(20),
    "too many interim answers come before it",
  ],
])("refuses %s", (_, answer, fault) => {
  expect(whole(answer).end).toBe(fault);
  expect(read([...Buffer.from(answer, "latin1")].map((byte) => Buffer.from([byte]))).end).toBe(fault);
});

test("bytes after an answer are left over", () => {
  expect(whole(`${ok}Content-Length: 2\r\n\r\nhi!`)).toMatchObject({ body: "hi", end: "end", left: true });
  expect(whole(`${chunked}0\r\n\r\n!`)).toMatchObject({ body: "", end: "end", left: true });
  expect(whole("HTTP/1.1 204 No Content\r\n\r\n!")).toMatchObject({ end: "end", left: true });
});

test("headers are found by any spelling of their name, and joined", () => {
  const parser = new AnswerParser();
  parser.reset(false);
  parser.give(
    Buffer.from(`${ok}X-One: 1\r\nx-two:\t2 \r\nX-ONE:  3\r\nEmpty:\r\nX.One: no\r\nContent-Length: 0\r\n\r\n`),
  );
  expect(parser.next()).toBe(Found.head);
  const get = (name: string) => parser.head?.get(name);
  expect(get("x-one")).toBe("1, 3");
  expect(get("X-Two")).toBe("2");
  expect(get("empty")).toBe("");
  expect(get("x-three")).toBeNull();
  expect(get("one")).toBeNull();
  expect(get("x.one")).toBe("no");
});

const connectionHeaders = fc.constantFrom(
  "",
  "Connection: keep-alive\r\n",
  "Connection: close\r\n",
  "Keep-Alive: timeout=5\r\n",
);
const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array).toString("latin1"));
const framedBody = fc.oneof(
  bytes.map((body) => ({ body, text: `Content-Length: ${body.length}\r\n\r\n${body}` })),
  fc
    .array(
      bytes.filter((piece) => piece !== ""),
      { maxLength: 5 },
    )
    .map((pieces) => ({
      body: pieces.join(""),
      text: `Transfer-Encoding: chunked\r\n\r\n${pieces.map((piece) => `${piece.length.toString(16)};x\r\n${piece}\r\n`).join("")}0\r\nA: b\r\n\r\n`,
    })),
  bytes.map((body) => ({ body, text: `\r\n${body}` })),
);

test("an answer means the same however its bytes are split", () => {
  // One parser for all, as one serves all answers of a connection.
  const parser = new AnswerParser();
  fc.assert(
    fc.property(
      fc.nat(2),
      connectionHeaders,
      framedBody,
      fc.array(fc.nat(1000), { maxLength: 12 }),
      fc.boolean(),
      (interim, headers, { body, text }, cuts, byteByByte) => {
        const answer = Buffer.from(
          `${"HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\n".repeat(interim)}${ok}Content-Type: text/x\r\n${headers}${text}`,
          "latin1",
        );
        const places = byteByByte
          ? Array.from(answer, (_, index) => index + 1)
          : [...new Set(cuts.map((cut) => cut % answer.length)), answer.length].sort((a, b) => a - b);
        const pieces = places.map((place, index) => answer.subarray(index === 0 ? 0 : places[index - 1], place));
        const found = read(pieces, { parser });
        expect(found).toEqual(read([answer]));
        expect(found).toMatchObject({ status: 200, body, type: "text/x", left: false });
        expect(found.end).toBe(text.startsWith("\r\n") ? "may end" : "end");
      },
    ),
    { numRuns: 500 },
  );
});

test("what waits is the same after it was packed, also if more comes meanwhile", () => {
  const random = Buffer.from(Array.from({ length: 30_000 }, (_, index) => (index * 7919 * (index % 251)) % 256));
  for (const event of [Buffer.from('data: {"choices":[{"delta":{"content":"word"}}]}\n\n'), random]) {
    const chunk = Buffer.concat([Buffer.from(`${event.length.toString(16)}\r\n`), event, Buffer.from("\r\n")]);
    const chunks = Math.ceil(400_000 / chunk.length);
    const first = Buffer.concat([Buffer.from(`${ok}Transfer-Encoding: chunked\r\n\r\n`), ...Array(chunks).fill(chunk)]);
    const parser = new AnswerParser();
    parser.reset(false);
    parser.give(first);
    let pieces = 0;
    for (let next = parser.next(); next !== Found.end; next = parser.next()) {
      expect(next).toBeOneOf([Found.head, Found.bytes]);
      if (next === Found.bytes) {
        expect(event.equals(parser.piece ?? Buffer.alloc(0))).toBe(true);
        pieces++;
      }
      if (pieces % 500 === 1) {
        parser.pack();
        expect([parser.hasInput, parser.mayEndHere]).toEqual([true, false]);
        if (pieces === 1) parser.give(Buffer.concat([chunk, Buffer.from("0\r\n\r\n")]));
      }
    }
    expect(pieces).toBe(chunks + 1);
    expect(parser.hasInput).toBe(false);
  }
});

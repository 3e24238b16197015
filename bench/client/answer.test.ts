import { describe, expect, test } from "bun:test";
import { readAnswer, startAnswer } from "./answer.ts";

const plain = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n{"ok": true}';
const chunked = [
  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
  "9\r\ndata: 1\n\n\r\n",
  "9\r\ndata: 0\n\n\r\n",
  "0\r\n\r\n",
].join("");

/** Feeds the pieces and says after which of them the answer was complete (from 0); -1 if it never was. */
function completeAfter(pieces: readonly string[]): number {
  const answer = startAnswer();
  return pieces.findIndex((piece) => readAnswer(answer, Buffer.from(piece), Buffer.byteLength(piece)));
}

describe("an answer", () => {
  test.each([plain, chunked])("is complete with its last byte, wherever it is cut", (text) => {
    for (let cut = 1; cut < text.length; cut++) {
      expect(completeAfter([text.slice(0, cut), text.slice(cut)])).toBe(1);
    }
    expect(completeAfter(text.split(""))).toBe(text.length - 1);
  });

  test("has begun with the first byte of its body, not with its head", () => {
    const [head = "", ...chunks] = chunked.split(/(?<=\n\r\n)/);
    const answer = startAnswer();
    readAnswer(answer, Buffer.from(head), head.length);
    expect(answer.begun).toBe(false);
    readAnswer(answer, Buffer.from(chunks.join("")), chunks.join("").length);
    expect(answer.begun).toBe(true);
  });

  test("has its status", () => {
    const answer = startAnswer();
    const text = "HTTP/1.1 429 Too Many Requests\r\ncontent-length: 0\r\n\r\n";
    expect(readAnswer(answer, Buffer.from(text), text.length)).toBe(true);
    expect(answer.status).toBe(429);
  });

  test("that is not HTTP is refused", () => {
    expect(() => completeAfter(["SSH-2.0-OpenSSH\r\n\r\n"])).toThrow("not an HTTP/1.1 answer");
  });
});

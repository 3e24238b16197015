import { expect, test } from "bun:test";
import { encodeAnnotations as encodeForChat } from "./openai-chat/conversation/answer/annotations.ts";
import { decodeAnnotations as decodeChat } from "./openai-chat/conversation/request/decode-messages.ts";
import {
  decodeAnnotations as decodeResponses,
  encodeAnnotations as encodeForResponses,
} from "./openai-responses/answer/annotations.ts";

const address = { url: "https://example.com/", title: "Example", start_index: 0, end_index: 5 };

test("an annotation that another dialect has no form for is left out: client libraries refuse the answer with it", () => {
  const flat = [
    { type: "url_citation", ...address },
    { type: "file_citation", file_id: "file-1", index: 0, filename: "a.txt" },
  ];
  expect(encodeForChat(decodeResponses(flat))).toEqual([{ type: "url_citation", url_citation: address }]);
  expect(encodeForResponses(decodeResponses(flat))).toEqual(flat);
  const nested = [
    { type: "url_citation", url_citation: address },
    { type: "file", file: { hash: "1", name: "a.pdf" } },
  ];
  expect(encodeForResponses(decodeChat(nested))).toEqual([{ type: "url_citation", ...address }]);
  expect(encodeForChat(decodeChat(nested))).toEqual(nested);
});

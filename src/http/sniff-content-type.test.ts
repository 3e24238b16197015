import { expect, test } from "bun:test";
import { sniffContentType, sniffedBytes } from "./sniff-content-type.ts";

test.each([
  ["\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "image/png"],
  ["RIFF\x24\0\0\0WAVEfmt ", "audio/wav"],
  ["\0\0\0\x20ftypM4A \0\0", "audio/mp4"],
  ["\0\0\0\x20ftypisom\0\0", "video/mp4"],
  ["\0\0\0\x20ftypavif\0\0", "image/avif"],
  ["PK\x03\x04\x14\0", "application/zip"],
  ["%PDF-1.7\n", "application/pdf"],
  ["<!DOCTYPE html><p>", "text/html"],
  ["  \n<html lang=en>", "text/html"],
  ["<script>alert(1)</script>", "text/html"],
  ['<?xml version="1.0"?><!-- a --><svg xmlns="http://www.w3.org/2000/svg">', "image/svg+xml"],
  ["<SVG onload=alert(1)>", "image/svg+xml"],
  ['<?xml version="1.0"?><feed>', "application/xml"],
  ['{"messages": ["<svg>"]}\n', "text/plain"],
  ["a < b, and <html> is a tag", "text/plain"],
  ["ab\0cd", "application/octet-stream"],
  ["\xfd\xfc\xfb\xfa", "application/octet-stream"],
  ["", "text/plain"],
])("%j is %s", (start, type) => {
  expect(sniffContentType(Buffer.from(start, "latin1"))).toBe(type);
});

test("text in UTF-8 and UTF-16 is text, wherever it is cut", () => {
  const bytes = Buffer.from("Zoë 日本語 🎉".repeat(1_000));
  for (let cut = sniffedBytes - 4; cut <= sniffedBytes; cut++) {
    expect(sniffContentType(bytes.subarray(0, cut))).toBe("text/plain");
  }
  expect(sniffContentType(Buffer.from("\ufeff<svg onload=x>", "utf16le"))).toBe("image/svg+xml");
});

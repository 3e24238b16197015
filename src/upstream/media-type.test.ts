import { expect, test } from "bun:test";
import { mediaTypeOf } from "./media-type.ts";

const nothing = new Uint8Array();
const bytes = (text: string) => Buffer.from(text, "latin1");

test.each([
  ["image", "image/png", "image/png"],
  ["image", "IMAGE/JPG; charset=binary", "image/jpeg"],
  ["document", "text/plain; charset=utf-8", "text/plain"],
  ["document", "application/x-pdf", "application/pdf"],
  ["audio", "audio/x-wav", "audio/wav"],
  ["audio", "application/ogg", "audio/ogg"],
  ["video", "video/mp4", "video/mp4"],
  ["image", "text/html", null],
  ["image", "application/pdf", null],
  ["document", "image/png", null],
  ["audio", "video/mp4", null],
] as const)("%s said to be %s: %p", (kind, said, type) => {
  expect(mediaTypeOf(kind, said, nothing)).toBe(type);
});

test.each([
  ["image", "\x89PNG\r\n\x1a\n....", "image/png"],
  ["image", "\xff\xd8\xff\xe0", "image/jpeg"],
  ["image", "GIF89a", "image/gif"],
  ["image", "RIFF\n\0\0\0WEBP", "image/webp"],
  ["document", "%PDF-1.7", "application/pdf"],
  ["audio", "RIFF\n\0\0\0WAVE", "audio/wav"],
  ["audio", "ID3\x04", "audio/mpeg"],
  ["audio", "OggS", "audio/ogg"],
  ["audio", "fLaC", "audio/flac"],
  ["video", "\0\0\0\x18ftypmp42", "video/mp4"],
  ["video", "\x1a\x45\xdf\xa3", "video/webm"],
  ["image", "%PDF-1.7", null],
  ["image", "hello", null],
  ["image", "", null],
] as const)("%s of unknown type that begins with %j: %p", (kind, beginning, type) => {
  for (const said of [null, "", "application/octet-stream", "binary/octet-stream"]) {
    expect(mediaTypeOf(kind, said, bytes(beginning))).toBe(type);
  }
});

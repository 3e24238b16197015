import { expect, test } from "bun:test";
import { keptAnswer } from "./kept-answer.ts";

const kept = (body: string | Uint8Array) => keptAnswer("application/json", body);
const maxBytes = 8 * 1024 * 1024;

test("an answer is stored unchanged", () => {
  const text = '\ufeff{"text":"Zoë 😀"}';
  expect(kept(text)).toEqual({ contentType: "application/json", body: text });
  expect(kept(Buffer.from(text))).toEqual({ contentType: "application/json", body: text });
});

test("an answer of more than 8 MiB is not stored", () => {
  for (const whole of ["x".repeat(maxBytes), "é".repeat(maxBytes / 2)]) {
    expect(kept(whole)?.body.length).toBe(whole.length);
    expect(kept(Buffer.from(whole))?.body.length).toBe(whole.length);
    expect(kept(`${whole}x`)).toBeNull();
    expect(kept(Buffer.from(`${whole}x`))).toBeNull();
  }
});

test("text that not every database can store is not stored", () => {
  for (const odd of [new Uint8Array([0x22, 0xff, 0x22]), "a\0b", Buffer.from("a\0b"), "\ud800"]) {
    expect(kept(odd)).toBeNull();
  }
});

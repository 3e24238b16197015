import { expect, test } from "bun:test";
import { GatewayError } from "../../errors.ts";
import { deepgram } from "./dialect.ts";
import { readDeepgramError } from "./errors.ts";
import { voiceModelOf } from "./voice-model.ts";

test.each([
  ["aura-2", "thalia", "aura-2-thalia-en"],
  ["aura-2", "Thalia", "aura-2-thalia-en"],
  ["aura-2", "celeste-es", "aura-2-celeste-es"],
  ["aura-2", "aura-2-zeus-en", "aura-2-zeus-en"],
  ["aura-2-thalia-en", "thalia", "aura-2-thalia-en"],
  ["aura-2-thalia-en", "thalia-en", "aura-2-thalia-en"],
  ["aura-2-thalia-en", "aura-2-thalia-en", "aura-2-thalia-en"],
])("the target %s and the voice %s are %s", (target, voice, expected) => {
  expect(voiceModelOf(target, voice)).toBe(expected);
});

test.each([
  ["aura-2", "a&b=c"],
  ["aura-2", "two words"],
  ["aura-2-thalia-en", "zeus"],
  ["aura-2-thalia-en", "en"],
])("the target %s has no voice %s", (target, voice) => {
  let thrown: unknown = null;
  try {
    voiceModelOf(target, voice);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(GatewayError);
  expect(thrown).toMatchObject({ status: 400, param: "voice" });
});

test("errors are read", () => {
  const body = { err_code: "INVALID_AUTH", err_msg: "Invalid credentials.", request_id: "1" };
  expect(readDeepgramError(body)).toMatchObject({ code: "INVALID_AUTH", badCredential: true });
  expect(readDeepgramError({ err_msg: "No." })).toMatchObject({ message: "No.", code: null });
  expect(readDeepgramError({ error: "No." })).toBeNull();
  const newer = { category: "INVALID_JSON", message: "Invalid JSON submitted.", details: "...", request_id: "1" };
  expect(readDeepgramError(newer)).toMatchObject({ code: "INVALID_JSON", message: "Invalid JSON submitted." });
  expect(readDeepgramError({ err_code: "ASR_PAYMENT_REQUIRED", err_msg: "No." })).toMatchObject({
    isOutOfCredit: true,
  });
  expect(readDeepgramError("No.")).toMatchObject({ message: "No.", code: null });
  expect(readDeepgramError(5)).toBeNull();
});

test("its list of models is read", () => {
  const answer = { stt: [{ canonical_name: "nova-3" }], tts: [{ canonical_name: "aura-2-thalia-en" }] };
  expect(deepgram.modelList?.read(answer)).toEqual({ names: ["nova-3", "aura-2-thalia-en"], isPartial: false });
  expect(deepgram.modelList?.read([])).toBeNull();
});

import { expect, test } from "bun:test";
import { elevenlabs } from "./dialect.ts";
import { readElevenLabsError } from "./errors.ts";

test.each<[unknown, object | null]>([
  [
    { detail: { status: "invalid_api_key", message: "Invalid API key" } },
    { code: "invalid_api_key", badCredential: true },
  ],
  [{ detail: { status: "quota_exceeded", message: "None left." } }, { isOutOfCredit: true, message: "None left." }],
  [{ detail: { status: "voice_not_found", message: "No." } }, { meantStatus: 400, param: "voice" }],
  [{ detail: { status: "model_not_found", message: "No." } }, { meantStatus: 404 }],
  [
    { detail: [{ loc: ["body", "text"], msg: "Field required", type: "missing" }] },
    { param: "input", code: "missing" },
  ],
  [{ detail: [{ loc: ["query", "output_format"], msg: "No." }] }, { param: "response_format" }],
  [{ detail: "Not Found" }, { message: "Not Found", code: null }],
  [{ detail: [] }, null],
  [{ detail: 5 }, null],
  [{ error: "No." }, null],
  [null, null],
])("the error %j is read", (body, expected) => {
  const read = readElevenLabsError(body);
  if (expected === null) expect(read).toBeNull();
  else expect(read).toMatchObject(expected);
});

test("its list of models is read", () => {
  expect(elevenlabs.modelList?.read([{ model_id: "eleven_v3" }])).toEqual({ names: ["eleven_v3"], isPartial: false });
  expect(elevenlabs.modelList?.read({ data: [] })).toBeNull();
});

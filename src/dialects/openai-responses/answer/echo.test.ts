import { expect, test } from "bun:test";
import { overloaded } from "../../../errors.ts";
import { passThrough } from "../../exchanges/pass-through.ts";
import { responsesCodec } from "../codec.ts";
import { type Echo, echoing } from "./echo.ts";
import { responseIn } from "./last-word.ts";
import { parseEvents } from "../stream/validate-events.testkit.ts";

const context = { callerBody: {}, model: "m", fallbackId: "own1", created: 1, estimatedInputTokens: 1 };
const request = { dialect: "openai-responses", method: "POST", path: "/responses", headers: {}, body: "" } as const;

function exchangeOf(echo: Partial<Echo> = {}) {
  const told = { store: true, previousResponseId: "resp_0", fallbackId: "own1", ...echo };
  return passThrough({ codec: responsesCodec, request, context, form: echoing(told, responsesCodec, context) });
}

const bytes = (text: string) => new TextEncoder().encode(text);
const textOf = (piece: string | Uint8Array | null | undefined) =>
  typeof piece === "string" ? piece : new TextDecoder().decode(piece ?? new Uint8Array());
const event = (type: string, fields: string) => bytes(`event: ${type}\ndata: {"type":"${type}",${fields}}\n\n`);

const head = '"id":"resp_1", "object":"response","created_at":1,"model":"m","output":[],"big":12345678901234567890';
const response = `{${head},"status":"in_progress","store" : false,"previous_response_id":null}`;
const done = `{${head},"status":"completed","store":false,"previous_response_id":null}`;

/** With the settings that the caller asked for, and the gateway's own id. */
const asStored = (text: string) => text.replace("false", "true").replace("resp_1", "resp_own1");

test("a whole answer passes through byte for byte, but for the echoes", () => {
  const { body, observation } = exchangeOf().readWhole(bytes(done));
  expect(textOf(body)).toBe(asStored(done).replace("null", '"resp_0"'));
  expect(observation.responseId).toBe("resp_own1");
});

test("a response that is not stored keeps the provider's id", () => {
  const { body, observation } = exchangeOf({ store: false }).readWhole(bytes(done));
  expect(textOf(body)).toBe(done.replace("null", '"resp_0"'));
  expect(observation.responseId).toBe("resp_1");
});

test("echoes that a provider leaves out are added", () => {
  const { body } = exchangeOf({ previousResponseId: null }).readWhole(bytes(`{${head},"status":"completed"}`));
  expect(textOf(body)).toBe(asStored(`{${head},"status":"completed","store":false,"previous_response_id":null}`));
});

test.each(["gen-1", "resp_a/b", "", 5, null])(
  "an id %j becomes one of the gateway's, the same for the record",
  (id) => {
    const { body, observation } = exchangeOf({ store: false }).readWhole(
      bytes(done.replace('"resp_1"', JSON.stringify(id))),
    );
    expect(JSON.parse(textOf(body)).id).toBe("resp_own1");
    expect(observation.responseId).toBe("resp_own1");
  },
);

test("only the events of a stream that hold the response change", () => {
  const stream = exchangeOf().openStream();
  const created = stream.push(event("response.created", `"response":${response},"sequence_number":0`));
  const changed = asStored(response).replace("null", '"resp_0"');
  expect(textOf(created)).toBe(
    `event: response.created\ndata: {"type":"response.created","response":${changed},"sequence_number":0}\n\n`,
  );
  const comment = ': "response"\n\n';
  expect(textOf(stream.push(bytes(comment)))).toBe(comment);
  const delta = event("response.custom_thing", '"delta":"says \\"response\\" {","sequence_number":1');
  expect(textOf(stream.push(delta))).toBe(textOf(delta));
  expect(stream.started).toBe(true);

  expect(stream.push(event("response.completed", `"response":${done},"sequence_number":2`))).toBeNull();
  stream.end();
  expect(stream.finished).toBe(true);
  expect(stream.fault).toBeNull();
  expect(responseIn(stream.terminator() ?? "")).toMatchObject({ store: true, previous_response_id: "resp_0" });
  expect(stream.observation.responseId).toBe("resp_own1");
});

test("JSON over several lines stays one event", () => {
  const stream = exchangeOf().openStream();
  const lines = `event: response.created\ndata: {"type":"response.created",\ndata: "response":${response}}\n\n`;
  const passed = textOf(stream.push(bytes(lines)));
  expect(passed).toStartWith('event: response.created\ndata: {"type":"response.created",\ndata: "response":{');
  expect(passed).toContain('"store" : true');
});

test("a broken stream continues its sequence numbers", () => {
  const stream = exchangeOf().openStream();
  stream.push(event("response.created", `"response":${response},"sequence_number":0`));
  stream.push(event("response.in_progress", `"response":${response},"sequence_number":1`));
  // Held back, and so not seen by the caller.
  stream.push(event("response.completed", `"response":${done},"sequence_number":2`));
  const said = parseEvents(textOf(stream.fail(overloaded("overloaded", "Too much.", 1), "req_1")));
  expect(said).toMatchObject([
    { type: "error", sequence_number: 2, error: { code: "overloaded", request_id: "req_1" } },
    { type: "response.failed", sequence_number: 3, response: { id: "resp_own1", status: "failed", store: true } },
  ]);
});

test("a stream that breaks before any event is opened first", () => {
  const stream = exchangeOf().openStream();
  const said = parseEvents(textOf(stream.fail(overloaded("overloaded", "Too much.", 1), "req_1")));
  expect(said.map(({ type }) => type)).toEqual([
    "response.created",
    "response.in_progress",
    "error",
    "response.failed",
  ]);
});

test("the response is read from a whole answer or an event, and from nothing else", () => {
  expect(responseIn('{"id":"resp_1"}')).toEqual({ id: "resp_1" });
  expect(responseIn("event: x\ndata: {}\n\n")).toBeNull();
  expect(responseIn(": nothing\n\n")).toBeNull();
});

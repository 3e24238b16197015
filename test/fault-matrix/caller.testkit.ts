import type { RecordedRequest } from "../../src/sandbox/server.ts";
import type { Cell } from "./faults.testkit.ts";
import { targetName, type MatrixGateway } from "./gateway.testkit.ts";
import type { Observation, Which } from "./observation.testkit.ts";
import { postSlowly } from "./slow-reader.testkit.ts";
import { openStreamReader, type StreamReader } from "./stream-reader.testkit.ts";
import { until } from "../until.testkit.ts";
import { slowReaderPauseMs, textOf } from "./upstreams.testkit.ts";

/** The observations of a cell's caller. */
export type Heard = Pick<
  Observation,
  "status" | "error" | "ending" | "heard" | "retryAfter" | "attemptsHeader" | "slowed"
>;

interface ErrorBody {
  readonly error: { readonly type: string; readonly code: string | null };
}

const heardNothing: Heard = {
  status: null,
  error: null,
  ending: "left",
  heard: null,
  retryAfter: null,
  attemptsHeader: null,
  slowed: false,
};

/** The requests that a target in the sandbox has received. */
export function requestsTo({ gateway }: MatrixGateway, cell: Cell, target: Which): readonly RecordedRequest[] {
  const name = targetName(cell, target);
  return gateway.sandbox.requests.filter(({ model }) => model === name);
}

/** Sends the request as the cell's caller, and reads the answer as far as it does. */
export async function ask(matrix: MatrixGateway, cell: Cell): Promise<Heard> {
  switch (cell.fault) {
    case "caller leaves before the headers":
      return leaveWhen(matrix, cell, "the request has arrived", () => true);
    case "caller leaves before the first byte":
      return leaveWhen(matrix, cell, "the headers are sent", ({ status }) => status === 200);
    case "caller leaves mid-stream":
      return cell.form === "json"
        ? leaveWhen(matrix, cell, "half of the body is sent", ({ bytesSent }) => bytesSent > 0)
        : leaveAfterSomeWords(matrix, cell);
    case "slow reader":
      return readSlowly(matrix, cell);
    default: {
      const response = await send(matrix, cell);
      return understand(cell, response, await response.text());
    }
  }
}

function send({ gateway }: MatrixGateway, cell: Cell, signal: AbortSignal | null = null): Promise<Response> {
  return gateway.chat({ model: cell.id, stream: cell.form === "stream" }, { signal });
}

/** Disconnects as soon as the first target has reached this point. */
async function leaveWhen(
  matrix: MatrixGateway,
  cell: Cell,
  what: string,
  isTime: (request: RecordedRequest) => boolean,
): Promise<Heard> {
  const controller = new AbortController();
  const answer = send(matrix, cell, controller.signal).then(
    (response) => ({ ...heardNothing, status: response.status }),
    () => heardNothing,
  );
  await until(what, () => requestsTo(matrix, cell, "first").some(isTime));
  controller.abort();
  return answer;
}

async function leaveAfterSomeWords(matrix: MatrixGateway, cell: Cell): Promise<Heard> {
  const controller = new AbortController();
  const response = await send(matrix, cell, controller.signal);
  const stream = openStreamReader(textsOf(cell));
  const decoder = new TextDecoder();
  for await (const piece of response.body ?? []) {
    stream.take(decoder.decode(piece, { stream: true }));
    if (stream.said !== null) break;
  }
  controller.abort();
  return { ...toldBy(response), ...streamedAnswer(cell, stream), ending: "left" };
}

/** Reads the beginning, pauses until the provider is blocked for longer than its time limits, then reads the rest. */
async function readSlowly(matrix: MatrixGateway, cell: Cell): Promise<Heard> {
  const { url, key } = matrix.gateway;
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const body = { model: cell.id, stream: cell.form === "stream", messages: [{ role: "user", content: "Go on." }] };
  const answer = await postSlowly(`${url}/v1/chat/completions`, headers, JSON.stringify(body));
  const slowed = await stopsSending(matrix, cell);
  if (cell.form === "json") {
    let text = "";
    await answer.takeRest((more) => (text += more));
    return { ...toldBy(answer), ...wholeAnswer(cell, text), slowed };
  }
  const stream = openStreamReader(textsOf(cell));
  await answer.takeRest((text) => stream.take(text));
  return { ...toldBy(answer), ...streamedAnswer(cell, stream), slowed };
}

/** Whether the first target is blocked because its caller does not read; otherwise it has sent everything. */
async function stopsSending(matrix: MatrixGateway, cell: Cell): Promise<boolean> {
  const sent = () => requestsTo(matrix, cell, "first")[0];
  let before = -1;
  for (;;) {
    await Bun.sleep(slowReaderPauseMs);
    const request = sent();
    if (!request || request.outcome !== "open") return false;
    if (request.bytesSent === before) return true;
    before = request.bytesSent;
  }
}

function understand(cell: Cell, response: Response, text: string): Heard {
  const told = toldBy(response);
  if (response.status !== 200) return { ...told, error: errorIn(text), ending: "error", heard: null };
  if (cell.form === "json") return { ...told, ...wholeAnswer(cell, text) };
  const stream = openStreamReader(textsOf(cell));
  stream.take(text);
  return { ...told, ...streamedAnswer(cell, stream) };
}

type Head = Pick<Response, "status" | "headers">;

function toldBy({ status, headers }: Head): Pick<Heard, "status" | "retryAfter" | "attemptsHeader" | "slowed"> {
  const number = (name: string) => (headers.has(name) ? Number(headers.get(name)) : null);
  return { status, retryAfter: number("retry-after"), attemptsHeader: number("x-service-attempts"), slowed: false };
}

function wholeAnswer(cell: Cell, text: string): Pick<Heard, "error" | "ending" | "heard"> {
  const { choices } = JSON.parse(text) as { readonly choices: readonly { readonly message: { content: string } }[] };
  const heard = whoSays(cell, choices[0]?.message.content ?? null);
  return { error: null, ending: heard ? "whole" : "not as it should be", heard };
}

function streamedAnswer(cell: Cell, stream: StreamReader): Pick<Heard, "error" | "ending" | "heard"> {
  const { error, ends, rest } = stream;
  const heard = whoSays(cell, stream.said);
  const isWhole = stream.saidAll && stream.last === "[DONE]" && ends === 1 && rest === "";
  const isBrokenOff = error !== null && stream.events > 1 && ends === 0 && rest === "";
  return { error, ending: isWhole ? "whole" : isBrokenOff ? "broken off" : "not as it should be", heard };
}

const both: readonly Which[] = ["first", "second"];

function textsOf(cell: Cell): readonly string[] {
  return both.map((target) => textOf(cell, target));
}

function whoSays(cell: Cell, text: string | null): Which | null {
  return both.find((target) => textOf(cell, target) === text) ?? null;
}

function errorIn(text: string): string {
  const { error } = JSON.parse(text) as ErrorBody;
  return `${error.type} ${error.code}`;
}

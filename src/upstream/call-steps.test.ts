import { describe, expect, test } from "bun:test";
import type { UpstreamRequest } from "../dialects/exchange.ts";
import { exampleProvider } from "../routing/choice/candidate.testkit.ts";
import { SteppedCall } from "./call-steps.ts";
import { type CallListener, UpstreamCall } from "./call.ts";
import { openChannel } from "./channel.ts";
import { FakeClient } from "./http/fake-client.testkit.ts";

const timeouts = { connectMs: 100, firstByteMs: 1_000, idleMs: 300, totalMs: 60_000 };
const decoder = new TextDecoder();
const requestTo = (path: string): UpstreamRequest => ({ dialect: "d", method: "POST", path, headers: {}, body: path });

/** A job that is begun, asked for until the answer is `done`, and cancelled. */
function begin(totalMs = 60_000) {
  const client = new FakeClient();
  const channel = openChannel(client, exampleProvider({ timeouts }));
  const told: string[] = [];
  const asked: string[] = [];
  const waits: { ms: number; run: () => void }[] = [];
  const listener: CallListener = {
    onHead: () => told.push(`head ${call.status}`),
    onBytes: (bytes) => told.push(decoder.decode(bytes)),
    onEnd: () => told.push("end"),
    onFault: ({ kind }) => told.push(kind),
  };
  const call: SteppedCall = new SteppedCall(
    {
      next: (body) => (decoder.decode(body) === "done" ? null : { request: requestTo("ask"), afterMs: 100 }),
      cancel: () => requestTo("cancel"),
    },
    requestTo("begin"),
    (request, own) => {
      asked.push(request.path);
      return new UpstreamCall({ client, now: client.now }, channel, "HEAD", request.body, own);
    },
    listener,
    {
      now: client.now,
      totalMs,
      after(ms, run) {
        const wait = { ms, run };
        waits.push(wait);
        return () => waits.splice(waits.indexOf(wait), 1);
      },
    },
  );
  const answer = (status: number, body: string) => {
    const exchange = client.exchanges.at(-1);
    exchange?.sent();
    exchange?.answersHead(status, {});
    exchange?.answers(body);
    exchange?.ends();
  };
  const wait = () => {
    const next = waits.shift();
    next?.run();
    return next?.ms;
  };
  return { client, call, told, asked, waits, answer, wait };
}

describe("steps", () => {
  test("tell of the last answer alone", () => {
    const { told, asked, answer, wait } = begin();
    answer(201, "queued");
    expect(wait()).toBe(100);
    answer(200, "running");
    expect(wait()).toBe(100);
    answer(200, "done");
    expect(told).toEqual(["head 200", "done", "end"]);
    expect(asked).toEqual(["begin", "ask", "ask"]);
  });

  test.each([400, 429, 500])("of which the first fails with %d are not repeated", (status) => {
    const { told, asked, answer } = begin();
    answer(status, "no");
    expect(told).toEqual([`head ${status}`, "no", "end"]);
    expect(asked).toEqual(["begin"]);
  });

  test("are repeated if they fail in passing, a few times", () => {
    const { told, asked, answer, wait } = begin();
    answer(201, "queued");
    wait();
    answer(500, "");
    expect(wait()).toBe(500);
    answer(429, "");
    expect(wait()).toBe(1_000);
    answer(200, "running");
    wait();
    for (let failure = 0; failure < 5; failure++) {
      answer(503, "no");
      wait();
    }
    expect(told).toEqual([]);
    answer(503, "no");
    expect(told).toEqual(["head 503", "no", "end"]);
    expect(asked.filter((path) => path === "begin")).toHaveLength(1);
  });

  test("end with an error that will not pass", () => {
    const { told, answer, wait } = begin();
    answer(201, "queued");
    wait();
    answer(422, "bad input");
    expect(told).toEqual(["head 422", "bad input", "end"]);
  });

  test("end when their time is over, and the job is cancelled", () => {
    const { told, asked, answer, wait } = begin(50);
    answer(201, "queued");
    expect(wait()).toBe(50);
    expect(told).toEqual(["total_timeout"]);
    expect(asked).toEqual(["begin", "cancel"]);
  });

  test("that are cancelled cancel the job, and tell nothing", () => {
    const { call, told, asked, waits, answer } = begin();
    answer(201, "queued");
    call.cancel();
    call.cancel();
    expect(told).toEqual([]);
    expect(waits).toEqual([]);
    expect(asked).toEqual(["begin", "cancel"]);
    const early = begin();
    early.call.cancel();
    expect(early.asked).toEqual(["begin"]);
  });
});

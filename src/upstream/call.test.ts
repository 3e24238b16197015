import { describe, expect, test } from "bun:test";
import { exampleProvider } from "../routing/choice/candidate.testkit.ts";
import { type CallListener, UpstreamCall } from "./call.ts";
import { openChannel } from "./channel.ts";
import type { FaultKind, UpstreamFault } from "./fault.ts";
import { FakeClient } from "./http/fake-client.testkit.ts";
import type { Timeouts } from "./provider.ts";

const timeouts: Timeouts = { connectMs: 100, firstByteMs: 1_000, idleMs: 300, totalMs: 5_000 };

/** A call, and what its listener was told. */
function begin(change: Partial<Timeouts> = {}) {
  const client = new FakeClient();
  const channel = openChannel(client, exampleProvider({ timeouts: { ...timeouts, ...change } }));
  const told: string[] = [];
  const faults: UpstreamFault[] = [];
  const listener: CallListener = {
    onHead: () => told.push(`head ${call.status}`),
    onBytes: (bytes) => told.push(new TextDecoder().decode(bytes)),
    onEnd: () => told.push("end"),
    onFault(fault) {
      told.push(fault.kind);
      faults.push(fault);
    },
  };
  const call: UpstreamCall = new UpstreamCall({ client, now: client.now }, channel, "HEAD", "BODY", listener);
  const { exchange } = client;
  /** Nothing ends the call before so many milliseconds from now; then it ends with this fault. */
  const expectFault = (kind: FaultKind, after: number) => {
    client.advance(after - 1);
    expect(faults).toEqual([]);
    client.advance(1);
    expect(faults).toMatchObject([{ kind }]);
    expect(call.isOver).toBe(true);
    expect(exchange.isCancelled).toBe(true);
  };
  /** The answer flows: its head and its first bytes are here. */
  const flow = () => {
    exchange.sent();
    exchange.answersHead();
    exchange.answers("a");
    call.answerBegun();
  };
  return { client, call, exchange, told, faults, expectFault, flow };
}

test("a call passes on its request and its answer", () => {
  const { call, exchange, told } = begin();
  expect([exchange.head, exchange.body]).toEqual(["HEAD", "BODY"]);
  exchange.sent();
  exchange.answersHead(201, { "Retry-After": "7" });
  exchange.answers("a");
  exchange.answers("b");
  exchange.ends();
  expect(told).toEqual(["head 201", "a", "b", "end"]);
  expect(call.headers.get("retry-after")).toBe("7");
  expect(call.isOver).toBe(true);
});

describe("the time to connect", () => {
  test("runs from the beginning", () => begin().expectFault("connect_timeout", 100));

  test("is no longer than that to the first byte", () => {
    begin({ connectMs: 5_000, firstByteMs: 500 }).expectFault("connect_timeout", 500);
  });

  test("no longer applies once the request is sent", () => {
    const { client, exchange, faults } = begin();
    client.advance(99);
    exchange.sent();
    client.advance(500);
    expect(faults).toEqual([]);
  });
});

describe("the time to the first byte", () => {
  test("runs from the beginning, not from the connection", () => {
    const { client, exchange, expectFault } = begin();
    client.advance(90);
    exchange.sent();
    expectFault("first_byte_timeout", 910);
  });

  test("is not ended by a head, nor by bytes that begin no answer", () => {
    const { client, exchange, expectFault } = begin();
    exchange.sent();
    client.advance(400);
    exchange.answersHead();
    exchange.answers(": comment\n\n");
    expectFault("first_byte_timeout", 600);
  });

  test("starts again with nothing: a request that is sent again has what is left of it", () => {
    const { client, exchange, expectFault } = begin();
    exchange.sent();
    client.advance(400);
    exchange.sent();
    expectFault("first_byte_timeout", 600);
  });

  test("is correct if the head arrives before the request is reported as sent", () => {
    const { exchange, expectFault } = begin();
    exchange.answersHead();
    expectFault("first_byte_timeout", 1_000);
  });
});

describe("the time between two pieces", () => {
  test("runs anew with every piece", () => {
    const { client, exchange, flow, expectFault } = begin();
    flow();
    for (let piece = 0; piece < 5; piece++) {
      client.advance(299);
      exchange.answers("b");
    }
    expectFault("idle_timeout", 300);
  });

  test("begins when the answer does, also after a slow first byte", () => {
    const { client, flow, expectFault } = begin();
    client.exchange.sent();
    client.advance(999);
    flow();
    expectFault("idle_timeout", 300);
  });

  test("is not lengthened by telling again that the answer has begun", () => {
    const { client, call, flow, expectFault } = begin();
    flow();
    client.advance(200);
    call.answerBegun();
    expectFault("idle_timeout", 100);
  });
});

describe("the time of the whole call", () => {
  test("runs from the beginning, whatever comes", () => {
    const { client, exchange, flow, expectFault } = begin();
    flow();
    for (let time = 0; time < 4_800; time += 200) {
      client.advance(200);
      exchange.answers("b");
    }
    expectFault("total_timeout", 200);
  });

  test("ends a call that connects or waits as well", () => {
    begin({ totalMs: 50 }).expectFault("total_timeout", 50);
    const waiting = begin({ totalMs: 500 });
    waiting.exchange.sent();
    waiting.expectFault("total_timeout", 500);
  });
});

describe("while the call is paused", () => {
  test("no limit of the provider runs, and each continues afterwards", () => {
    const { client, call, exchange, flow, faults, expectFault } = begin();
    flow();
    client.advance(100);
    call.pause();
    expect(exchange.isPaused).toBe(true);
    client.advance(4_999);
    expect(faults).toEqual([]);
    call.resume();
    expect(exchange.isPaused).toBe(false);
    // The provider has its whole time for the next piece, since it could not send it before.
    for (let time = 100; time < 4_900; time += 200) {
      client.advance(200);
      exchange.answers("b");
    }
    expectFault("total_timeout", 100);
  });

  test("silence is judged from the end of the pause", () => {
    const { client, call, flow, expectFault } = begin();
    flow();
    call.pause();
    client.advance(1_000);
    call.resume();
    expectFault("idle_timeout", 300);
  });

  test("a caller that reads nothing for the total time limit ends the call, without a provider fault", () => {
    const { client, call, flow, expectFault } = begin();
    flow();
    client.advance(200);
    call.pause();
    expectFault("reader_stalled", 5_000);
  });

  test("bytes that were on their way still come, and start no clock", () => {
    const { client, call, exchange, flow, told, expectFault } = begin();
    flow();
    call.pause();
    exchange.answers("late");
    expect(told.at(-1)).toBe("late");
    client.advance(4_000);
    expectFault("reader_stalled", 1_000);
  });

  test("pausing twice or resuming twice is once", () => {
    const { client, call, flow, expectFault } = begin();
    flow();
    call.resume();
    client.advance(100);
    call.pause();
    client.advance(4_000);
    call.pause();
    expectFault("reader_stalled", 1_000);
  });
});

describe("the rest of an answer is read no longer than it is given", () => {
  test("while it flows", () => {
    const { client, call, exchange, flow, expectFault } = begin();
    flow();
    call.endWithin(500);
    client.advance(250);
    exchange.answers("b");
    expectFault("reader_stalled", 250);
  });

  test("nor longer than the whole call", () => {
    const { client, call, exchange, flow, expectFault } = begin();
    flow();
    for (let time = 0; time < 4_800; time += 200) {
      client.advance(200);
      exchange.answers("b");
    }
    call.endWithin(500);
    expectFault("total_timeout", 200);
  });

  test("from a pause it goes on", () => {
    const { client, call, exchange, flow, expectFault } = begin();
    flow();
    call.pause();
    client.advance(2_000);
    call.endWithin(500);
    expect(exchange.isPaused).toBe(false);
    client.advance(250);
    exchange.answers("b");
    expectFault("reader_stalled", 250);
  });
});

describe("the end of a call is reported once", () => {
  test.each([
    ["unreachable", "unreachable"],
    ["cut", "cut"],
    ["invalid", "invalid_response"],
  ] as const)("a connection that fails as %s is the fault %s, with its code", (kind, fault) => {
    const { call, exchange, told, faults } = begin();
    exchange.fails(kind, "ECODE");
    expect(told).toEqual([fault]);
    expect(faults).toMatchObject([{ kind: fault, code: "ECODE", message: `It is ${kind}.`, status: null }]);
    expect(call.isOver).toBe(true);
  });

  test.each(["cancel", "end", "fault", "deadline"])("nothing follows after %s", (way) => {
    const { client, call, exchange, told } = begin();
    if (way === "cancel") call.cancel();
    else if (way === "end") exchange.listener.onEnd();
    else if (way === "fault") exchange.listener.onFailure({ kind: "cut", message: "Cut.", code: null });
    else client.advance(100);
    const before = [...told];
    expect(before).toHaveLength(way === "cancel" ? 0 : 1);
    // A client that told more would not be heard.
    exchange.listener.onSent();
    exchange.listener.onHead(200, { get: () => null });
    exchange.listener.onBytes(new Uint8Array(1));
    exchange.listener.onEnd();
    exchange.listener.onFailure({ kind: "cut", message: "Cut.", code: null });
    exchange.listener.onDeadline();
    call.pause();
    call.resume();
    call.cancel();
    client.advance(100_000);
    expect(told).toEqual(before);
    expect(call.isOver).toBe(true);
  });
});

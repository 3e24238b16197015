import { expect, test } from "bun:test";
import type { CallOutcome, UpstreamRequest } from "../dialects/exchange.ts";
import { exampleProvider } from "../routing/choice/candidate.testkit.ts";
import { CallGroup } from "./call-group.ts";
import { type CallListener, UpstreamCall } from "./call.ts";
import { openChannel } from "./channel.ts";
import { FakeClient } from "./http/fake-client.testkit.ts";

const timeouts = { connectMs: 100, firstByteMs: 1_000, idleMs: 300, totalMs: 2_000 };
const decoder = new TextDecoder();

/** So many calls at once, of which an answer of 404 is one about the thing itself. */
function begin(count: number, maxBytes = 1_000) {
  const client = new FakeClient();
  const channel = openChannel(client, exampleProvider({ timeouts }));
  const told: string[] = [];
  let taken: readonly CallOutcome[] = [];
  let held = 0;
  const listener: CallListener = {
    onHead: () => told.push(`head ${group.status}`),
    onBytes: (bytes) => told.push(decoder.decode(bytes)),
    onEnd: () => told.push("end"),
    onFault: ({ kind }) => told.push(kind),
  };
  const request: UpstreamRequest = { dialect: "d", method: "POST", path: "/", headers: {}, body: "BODY" };
  const group: CallGroup = new CallGroup(
    {
      requests: Array.from({ length: count }, () => request),
      maxBytes,
      isAnswer: (status) => status === 404,
      take: (outcomes) => (taken = outcomes),
    },
    (each, own) => new UpstreamCall({ client, now: client.now }, channel, "HEAD", each.body, own),
    listener,
    (bytes) => (held += bytes),
  );
  const answer = (index: number, status: number, body: string, headers = {}) => {
    const exchange = client.exchanges[index];
    exchange?.sent();
    exchange?.answersHead(status, headers);
    exchange?.answers(body);
    exchange?.ends();
  };
  const outcomes = () => taken.map(({ status, body, isLate }) => [status, body && decoder.decode(body), isLate]);
  return { client, group, told, outcomes, answer, held: () => held };
}

test("answers are handed over in the order of the requests, whichever comes first", () => {
  const { group, told, outcomes, answer } = begin(3);
  answer(2, 200, "c");
  answer(0, 404, "a");
  expect(told).toEqual([]);
  answer(1, 500, "b");
  expect(told).toEqual(["head 200", "end"]);
  expect(group.isOver).toBe(true);
  expect(outcomes()).toEqual([
    [404, "a", false],
    [500, "b", false],
    [200, "c", false],
  ]);
});

test("one call that is late or breaks takes nothing from the others", () => {
  const { client, told, outcomes, answer } = begin(3);
  answer(0, 200, "a");
  client.exchanges[1]?.fails("unreachable");
  client.exchanges[2]?.sent();
  client.advance(1_000);
  expect(told).toEqual(["head 200", "end"]);
  expect(outcomes()).toEqual([
    [200, "a", false],
    [null, null, false],
    [null, null, true],
  ]);
});

test("without an answer the first that failed with a status is that of the group, with its headers", () => {
  const { client, group, told, outcomes, answer } = begin(3);
  client.exchanges[0]?.fails("cut");
  answer(1, 429, "slow", { "Retry-After": "7" });
  answer(2, 500, "broken");
  expect(told).toEqual(["head 429", "slow", "end"]);
  expect(group.headers.get("retry-after")).toBe("7");
  expect(outcomes()).toEqual([]);
});

test("without any status the first fault is that of the group", () => {
  const { client, told } = begin(2);
  client.exchanges[1]?.fails("cut");
  client.exchanges[0]?.fails("unreachable");
  expect(told).toEqual(["unreachable"]);
});

test("what is beyond the bound of all together is not read", () => {
  const { client, told, outcomes, answer, held } = begin(2, 10);
  answer(0, 200, "12345678");
  client.exchanges[1]?.sent();
  client.exchanges[1]?.answersHead();
  client.exchanges[1]?.answers("12345678");
  expect(client.exchanges[1]?.isCancelled).toBe(true);
  expect(told).toEqual(["head 200", "end"]);
  expect(outcomes()).toEqual([
    [200, "12345678", false],
    [200, null, false],
  ]);
  expect(held()).toBe(8);
});

test("cancelling ends all calls, and nothing more is told", () => {
  const { client, group, told, answer } = begin(3);
  answer(0, 200, "a");
  group.cancel();
  expect(client.exchanges.map(({ isCancelled }) => isCancelled)).toEqual([false, true, true]);
  client.advance(10_000);
  expect(told).toEqual([]);
});

test("no call is left under way if one cannot begin", () => {
  const client = new FakeClient();
  const channel = openChannel(client, exampleProvider({ timeouts }));
  const request: UpstreamRequest = { dialect: "d", method: "POST", path: "/", headers: {}, body: null };
  let begun = 0;
  const start = () =>
    new CallGroup(
      { requests: [request, request], maxBytes: 10, isAnswer: () => false, take() {} },
      (_, own) => {
        if (begun++ === 1) throw new Error("no");
        return new UpstreamCall({ client, now: client.now }, channel, "HEAD", null, own);
      },
      { onHead() {}, onBytes() {}, onEnd() {}, onFault() {} },
      () => undefined,
    );
  expect(start).toThrow("no");
  expect(client.exchange.isCancelled).toBe(true);
});

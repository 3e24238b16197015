import { describe, expect, test } from "bun:test";
import { type BegunAttempt, setUpAttempts } from "./attempt.testkit.ts";

const json = { "content-type": "application/json" };
const whole = JSON.stringify({ id: "c", choices: [{ index: 0, message: { content: "Hi" }, finish_reason: "stop" }] });
const megabyte = 1 << 20;

describe("an answer for which there is no room", () => {
  /** One answer that is there and has taken half of the room, and one for which the other half is not enough. */
  const setUp = (totalMs = 9_000) => {
    const timeouts = { connectMs: 1_000, firstByteMs: 1_000, idleMs: 3_000, totalMs };
    const all = setUpAttempts({ timeouts }, 8 * megabyte);
    const [first, second] = [all.begin(), all.begin()];
    const receive = ({ upstream }: BegunAttempt) => {
      upstream.sent();
      upstream.answersHead(200, json);
      upstream.answers(" ".repeat(2 * megabyte) + whole);
    };
    receive(first);
    first.upstream.ends();
    receive(second);
    return { ...all, first, second };
  };

  test("is not received until there is", () => {
    const { first, second, answerMemory } = setUp();
    expect([first.attempt.hasAnswered, second.upstream.isPaused]).toEqual([true, true]);
    first.attempt.memory.release();
    expect(second.upstream.isPaused).toBe(false);
    second.upstream.ends();
    expect(second.attempt.hasAnswered).toBe(true);
    second.attempt.memory.release();
    expect(answerMemory.bytes).toBe(0);
  });

  test.each([
    ["30 seconds", 60_000, 30_100],
    ["the time of its call", 9_000, 9_100],
  ])("is given up after %s, which is not the provider's fault", (_name, totalMs, waitedMs) => {
    const { client, deadlines, first, second, answerMemory } = setUp(totalMs);
    client.advance(8_000);
    deadlines.check();
    expect(second.decisions()).toBe(0);
    client.advance(waitedMs - 8_000);
    deadlines.check();
    expect(second.decisions()).toBe(1);
    expect(second.attempt.refusal).toMatchObject({ status: 503, code: "overloaded" });
    expect(second.attempt).toMatchObject({ outcome: "cancelled", fault: null, hasAnswered: false });
    expect(second.told.toSorted()).toEqual(["abandoned", "ended"]);
    expect(second.upstream.isCancelled).toBe(true);
    first.attempt.memory.release();
    expect(answerMemory.bytes).toBe(0);
  });
});

import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import type { GatewayError } from "../../errors.ts";
import { createDeadlines } from "../../upstream/deadlines.ts";
import { createAnswerMemory, type HeldAnswer } from "./answer-memory.ts";

const megabyte = 1 << 20;

/** A provider that sends whenever it is read. */
interface Sender {
  readonly held: HeldAnswer;
  /** So many bytes more arrive. */
  readonly send: (bytes: number) => void;
  size: number;
  isPaused: boolean;
  error: GatewayError | null;
}

function simulation(maxMegabytes: number) {
  const clock = { now: () => time.now };
  const time = { now: 1_000 };
  const deadlines = createDeadlines(clock);
  const memory = createAnswerMemory({ maxBytes: maxMegabytes * megabyte, clock, deadlines });
  const open = (): Sender => {
    const held = memory.open({
      pause: () => (sender.isPaused = true),
      resume: () => (sender.isPaused = false),
      refuse: (error) => (sender.error = error),
    });
    const send = (bytes: number) => {
      sender.size += bytes;
      held.grow(bytes);
    };
    const sender: Sender = { held, send, size: 0, isPaused: false, error: null };
    return sender;
  };
  const pass = (milliseconds: number) => {
    time.now += milliseconds;
    deadlines.check();
  };
  return { memory, open, pass };
}

describe("the memory of answers", () => {
  test("does not count answers of up to a megabyte, however many there are", () => {
    const { memory, open } = simulation(2);
    const senders = Array.from({ length: 100 }, open);
    for (const { send } of senders) send(megabyte);
    expect(memory.bytes).toBe(0);
    expect(senders.some(({ isPaused }) => isPaused)).toBe(false);
  });

  test("holds up an answer beyond half of it until there is room, and lets the oldest go on", () => {
    const { memory, open } = simulation(20);
    const [first, second] = [open(), open()];
    first.send(4 * megabyte);
    second.send(2 * megabyte);
    expect([first.isPaused, second.isPaused, memory.bytes]).toEqual([false, true, 12 * megabyte]);
    first.send(3 * megabyte);
    expect([first.isPaused, second.isPaused]).toEqual([false, true]);
    first.held.complete();
    expect(second.isPaused).toBe(false);
    second.send(megabyte);
    second.held.complete();
    const sent = first.held.handOver();
    sent?.keep(7 * megabyte);
    first.held.release();
    expect(memory.bytes).toBe(13 * megabyte);
    sent?.sent();
    sent?.sent();
    second.held.release();
    expect(memory.bytes).toBe(0);
  });

  test("receives an answer that is alone, whatever its size", () => {
    const { open } = simulation(10);
    const sender = open();
    sender.send(500 * megabyte);
    expect(sender.isPaused).toBe(false);
  });

  test("refuses an answer that has waited for 30 seconds in all", () => {
    const { memory, open, pass } = simulation(10);
    const [first, second] = [open(), open()];
    first.send(8 * megabyte);
    second.send(2 * megabyte);
    pass(20_000);
    const sent = first.held.handOver();
    sent?.keep(megabyte);
    expect(second.isPaused).toBe(false);
    sent?.keep(9 * megabyte);
    second.send(1);
    pass(9_000);
    expect(second.error).toBeNull();
    pass(1_100);
    expect(second.error).toMatchObject({ status: 503, code: "overloaded", retryAfterSeconds: 1 });
    expect(memory.bytes).toBe(9 * megabyte);
  });

  test("refuses the youngest if each waits for another one", () => {
    const { open } = simulation(20);
    const [first, second, third] = [open(), open(), open()];
    for (const { send } of [first, second, third]) send(3 * megabyte);
    expect([first.isPaused, second.isPaused, third.isPaused]).toEqual([false, true, true]);
    first.send(2 * megabyte);
    expect([first.error, second.error, third.error?.code]).toEqual([null, null, "overloaded"]);
    expect([first.isPaused, second.isPaused]).toEqual([false, true]);
  });

  test("rejects a wait for room if the memory is given back", async () => {
    const { open } = simulation(10);
    const [first, second] = [open(), open()];
    first.send(8 * megabyte);
    const waiting = second.held.take(2 * megabyte);
    second.held.release();
    expect(waiting).rejects.toMatchObject({ code: "overloaded" });
  });

  test("is exceeded by a piece of each answer at most, serves one at least, and is empty at the end", () => {
    const pieces = fc.array(fc.record({ sender: fc.nat(7), kind: fc.constantFrom("grow", "grow", "grow", "end") }), {
      maxLength: 400,
    });
    fc.assert(
      fc.property(pieces, (steps) => {
        const { memory, open } = simulation(40);
        const senders = Array.from({ length: 8 }, open);
        const ended = new Set<Sender>();
        for (const { sender: index, kind } of steps) {
          const sender = senders[index];
          if (!sender || ended.has(sender) || sender.isPaused || sender.error) continue;
          if (kind === "grow") sender.send(megabyte);
          else {
            ended.add(sender);
            sender.held.complete();
            sender.held.release();
          }
          const others = senders.filter((each) => !ended.has(each) && each.error === null && each.size > megabyte);
          if (others.length > 1) expect(memory.bytes).toBeLessThanOrEqual((40 + 2 * 8) * megabyte);
          const open = senders.filter((each) => !ended.has(each) && each.error === null);
          if (open.length > 0) expect(open.some(({ isPaused }) => !isPaused)).toBe(true);
        }
        for (const { held } of senders) held.release();
        expect(memory.bytes).toBe(0);
      }),
    );
  });
});

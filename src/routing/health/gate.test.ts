import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { createGate, type QueuedTurn } from "./gate.ts";

/** Lets everything that was resolved be heard. */
const turnOfTheLoop = () => new Promise<void>((resolve) => setImmediate(resolve));

test("without a limit it is never full", () => {
  const gate = createGate(null);
  for (let call = 0; call < 1_000; call++) gate.enter();
  expect(gate.isFull).toBe(false);
});

describe("a full gate", () => {
  test("gives a free place to whoever waits longest, and to nobody who comes later", async () => {
    const gate = createGate(1);
    gate.enter();
    const [first, second] = [gate.queue(), gate.queue()];
    expect(await second.came).toBe(false);
    gate.leave();
    expect(await first.came).toBe(true);
    expect(gate.isFull).toBe(true);
    first.end();
    expect(gate.isFull).toBe(false);
    gate.enter();
    expect(gate.isFull).toBe(true);
  });

  test("lets as many wait as may be under way", async () => {
    const gate = createGate(2);
    gate.enter();
    gate.enter();
    const turns = [gate.queue(), gate.queue(), gate.queue()];
    expect(await turns[2]?.came).toBe(false);
    gate.leave();
    gate.leave();
    expect(await turns[0]?.came).toBe(true);
    expect(await turns[1]?.came).toBe(true);
  });

  test("a place that is kept and then not wanted goes to the next", async () => {
    const gate = createGate(2);
    gate.enter();
    gate.enter();
    const [first, second] = [gate.queue(), gate.queue()];
    gate.leave();
    expect(await first.came).toBe(true);
    first.end();
    first.end();
    expect(await second.came).toBe(true);
    second.end();
    await turnOfTheLoop();
    expect(gate.isFull).toBe(false);
    gate.enter();
    expect(gate.isFull).toBe(true);
  });

  test("whoever gives up before its turn has none", async () => {
    const gate = createGate(1);
    gate.enter();
    const turn = gate.queue();
    turn.end();
    expect(await turn.came).toBe(false);
    gate.leave();
    expect(gate.isFull).toBe(false);
  });
});

interface Waiting {
  readonly turn: QueuedTurn;
  readonly number: number;
  came: boolean | null;
}

const action = fc.record({
  what: fc.constantFrom("arrive", "arrive", "arrive", "leave", "leave", "take", "take", "giveUp", "refuse"),
  which: fc.nat(30),
});

test("whoever arrives, leaves and gives up when: never more than the limit, no place lost, in order", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 3 }),
      fc.array(action, { maxLength: 60, size: "max" }),
      async (limit, actions) => {
        const gate = createGate(limit);
        let inFlight = 0;
        let arrivals = 0;
        const called: number[] = [];
        const waiting: Waiting[] = [];
        const enter = () => {
          gate.enter();
          inFlight++;
          expect(inFlight).toBeLessThanOrEqual(limit);
        };
        const arrive = () => {
          if (!gate.isFull) return enter();
          const one: Waiting = { turn: gate.queue(), number: ++arrivals, came: null };
          waiting.push(one);
          void one.turn.came.then((came) => {
            one.came = came;
            if (came) called.push(one.number);
          });
        };
        const remove = (one: Waiting | undefined) => one && waiting.splice(waiting.indexOf(one), 1);

        for (const { what, which } of actions) {
          const ready = waiting.filter(({ came }) => came === true);
          const unready = waiting.filter(({ came }) => came === null);
          if (what === "arrive") arrive();
          else if (what === "leave" && inFlight > 0) {
            inFlight--;
            gate.leave();
          } else if (what === "take" && ready.length > 0) {
            const one = ready[which % ready.length];
            one?.turn.end();
            enter();
            remove(one);
          } else if (what === "giveUp" && unready.length > 0) {
            const one = unready[which % unready.length];
            one?.turn.end();
            remove(one);
          } else if (what === "refuse" && ready.length > 0) {
            const one = ready[which % ready.length];
            one?.turn.end();
            remove(one);
          }
          for (const one of waiting.filter(({ came }) => came === false)) remove(one);
          if (which % 2 === 0) await turnOfTheLoop();
        }

        // All that wait get their turn when those before them leave, and in the end every place is free.
        for (let round = 0; round < 200 && (inFlight > 0 || waiting.length > 0); round++) {
          await turnOfTheLoop();
          for (const one of waiting.filter(({ came }) => came !== null)) {
            one.turn.end();
            if (one.came) enter();
            remove(one);
          }
          if (inFlight > 0) {
            inFlight--;
            gate.leave();
          }
        }
        expect(waiting).toEqual([]);
        expect(called).toEqual(called.toSorted((one, other) => one - other));
        await turnOfTheLoop();
        for (let place = 0; place < limit; place++) {
          expect(gate.isFull).toBe(false);
          gate.enter();
        }
        expect(gate.isFull).toBe(true);
      },
    ),
    { numRuns: 100 },
  );
});

import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { createCallerWatch } from "./caller-watch.ts";
import { RequestContext } from "./request-context.ts";

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const tickMs = 20;

/** A request whose caller can leave, and what is done with its connection. */
function arrival() {
  const caller = new AbortController();
  const timeouts: number[] = [];
  const server = { timeout: (_: Request, seconds: number) => void timeouts.push(seconds) };
  const request = new Request("http://127.0.0.1/", { signal: caller.signal });
  const context = new RequestContext({ request, server }, "/v1/chat/completions", 0, 0);
  let cancellations = 0;
  context.onCancel = () => cancellations++;
  return { caller, context, timeouts, cancellations: () => cancellations };
}

test("a caller who leaves after the tick is noticed at once", () => {
  const watch = createCallerWatch();
  const { caller, context, cancellations } = arrival();
  watch.add(context);
  jest.advanceTimersByTime(tickMs);
  expect(context.isCancelled).toBe(false);
  caller.abort();
  expect(cancellations()).toBe(1);
  expect(context).toMatchObject({ isCallerGone: true, isCancelled: true });
  expect(() => context.throwIfCancelled()).toThrow();
});

test("a caller who leaves before the tick is noticed with it", () => {
  const watch = createCallerWatch();
  const { caller, context, cancellations } = arrival();
  watch.add(context);
  caller.abort();
  expect(cancellations()).toBe(0);
  jest.advanceTimersByTime(tickMs - 1);
  expect(cancellations()).toBe(0);
  jest.advanceTimersByTime(1);
  expect(cancellations()).toBe(1);
});

test("who asks is told at once, tick or not", () => {
  const { caller, context } = arrival();
  expect(context.hasCallerLeft()).toBe(false);
  caller.abort();
  expect(context.hasCallerLeft()).toBe(true);
  expect(context.isCallerGone).toBe(true);
});

test("a request that is over by the tick is not listened to, and its connection is left as it was", () => {
  const watch = createCallerWatch();
  const { caller, context, timeouts, cancellations } = arrival();
  watch.add(context);
  context.settled();
  jest.advanceTimersByTime(tickMs);
  caller.abort();
  expect(cancellations()).toBe(0);
  expect(context.isCancelled).toBe(false);
  expect(timeouts).toEqual([]);
});

test("while it is watched, a connection may be silent; afterwards it has its limit again", () => {
  const watch = createCallerWatch();
  const { caller, context, timeouts } = arrival();
  watch.add(context);
  jest.advanceTimersByTime(tickMs);
  expect(timeouts).toEqual([0]);
  context.watchCaller();
  expect(timeouts).toEqual([0]);
  context.settled();
  expect(timeouts).toEqual([0, 10]);
  // Its record is kept: there is nothing left to cancel.
  caller.abort();
  expect(context.isCancelled).toBe(false);
});

test("all that came before a tick are watched with it, and those that come later with the next", () => {
  const watch = createCallerWatch();
  const early = [arrival(), arrival()];
  for (const { context } of early) watch.add(context);
  jest.advanceTimersByTime(tickMs);
  const late = arrival();
  watch.add(late.context);
  for (const { timeouts } of early) expect(timeouts).toEqual([0]);
  expect(late.timeouts).toEqual([]);
  expect(jest.getTimerCount()).toBe(1);
  jest.advanceTimersByTime(tickMs);
  expect(late.timeouts).toEqual([0]);
  for (const { timeouts } of early) expect(timeouts).toEqual([0]);
  // While nothing arrives, no timer runs.
  expect(jest.getTimerCount()).toBe(0);
});

test("the first reason of a cancellation stands", () => {
  const watch = createCallerWatch();
  const { caller, context, cancellations } = arrival();
  watch.add(context);
  jest.advanceTimersByTime(tickMs);
  const reason = new Error("The deadline has passed.");
  context.cancel(reason);
  caller.abort();
  expect(context.cancelReason).toBe(reason);
  expect(context.isCallerGone).toBe(true);
  expect(cancellations()).toBe(1);
});

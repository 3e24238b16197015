import { expect, test } from "bun:test";
import { RequestContext } from "./request-context.ts";

/** A request whose caller can leave. */
function arrival() {
  const exchange: RequestContext["exchange"] = { isClosed: false, onClose: null };
  const context = new RequestContext(exchange, "/v1/chat/completions", 0, 0);
  let cancellations = 0;
  context.onCancel = () => cancellations++;
  const leave = () => {
    exchange.isClosed = true;
    exchange.onClose?.();
  };
  return { exchange, context, leave, cancellations: () => cancellations };
}

test("a caller who leaves is noticed at once", () => {
  const { context, leave, cancellations } = arrival();
  expect([context.isCancelled, context.hasCallerLeft()]).toEqual([false, false]);
  leave();
  expect(cancellations()).toBe(1);
  expect(context).toMatchObject({ isCallerGone: true, isCancelled: true });
  expect(() => context.throwIfCancelled()).toThrow();
});

test("a stage is told that the caller has left even before the request is cancelled", () => {
  const { exchange, context } = arrival();
  exchange.isClosed = true;
  expect(context.hasCallerLeft()).toBe(true);
  expect(context.isCallerGone).toBe(true);
});

test("a request whose record is kept is not cancelled any more", () => {
  const { context, leave, cancellations } = arrival();
  context.settled();
  leave();
  expect(cancellations()).toBe(0);
  expect(context.isCancelled).toBe(false);
});

test("the first reason of a cancellation counts", () => {
  const { context, leave, cancellations } = arrival();
  const reason = new Error("The deadline has passed.");
  context.cancel(reason);
  leave();
  expect(context.cancelReason).toBe(reason);
  expect(context.isCallerGone).toBe(true);
  expect(cancellations()).toBe(1);
});

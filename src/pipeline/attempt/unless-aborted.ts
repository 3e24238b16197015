/** The value, or the signal's reason as a rejection where that comes first. What is under way goes on by itself. */
export function unlessAborted<Value>(value: Value | Promise<Value>, signal: AbortSignal): Value | Promise<Value> {
  if (!(value instanceof Promise)) return value;
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  return Promise.race([value, promise]).finally(() => signal.removeEventListener("abort", onAbort));
}

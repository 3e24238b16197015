import { useCallback, useEffect, useRef, useState } from "react";
import { callService, type ServiceAnswer, type ServiceCall, type ServiceRequest } from "./call-service.ts";

export interface CallState<Result> {
  readonly isBusy: boolean;
  readonly error: unknown;
  readonly result: Result | null;
  readonly requestId: string | null;
  /** What was asked last. */
  readonly request: ServiceRequest | null;
  /** How long the whole answer took, in milliseconds. */
  readonly totalMs: number | null;
}

const idle = { isBusy: false, error: null, result: null, requestId: null, request: null, totalMs: null };

/** Calls the gateway further within one run, with the same key. */
export type CallMore = (request: ServiceRequest) => Promise<ServiceAnswer>;

export interface ReadTools<Result> {
  readonly callMore: CallMore;
  /** Shows what there is of the result. */
  readonly show: (result: Result) => void;
  readonly signal: AbortSignal;
}

/** One call at a time, which can be stopped. @param read makes the result of the answer */
export function useCall<Result>(read: (response: Response, tools: ReadTools<Result>) => Promise<Result>) {
  const [state, setState] = useState<CallState<Result>>(idle);
  const running = useRef<AbortController | null>(null);
  const stop = useCallback(() => running.current?.abort(), []);
  useEffect(() => stop, [stop]);
  const run = async ({ key, ...request }: Omit<ServiceCall, "signal">) => {
    stop();
    const controller = new AbortController();
    running.current = controller;
    const { signal } = controller;
    const startedAt = performance.now();
    const change = (part: Partial<CallState<Result>>) => {
      if (running.current === controller) setState((before) => ({ ...before, ...part }));
    };
    setState({ ...idle, isBusy: true, request });
    try {
      const { response, requestId } = await callService({ ...request, key, signal });
      change({ requestId });
      const callMore: CallMore = (more) => callService({ ...more, key, signal });
      const result = await read(response, { callMore, show: (shown) => change({ result: shown }), signal });
      change({ isBusy: false, result, totalMs: performance.now() - startedAt });
    } catch (error) {
      change({ isBusy: false, error: signal.aborted ? null : error });
    }
  };
  return { ...state, run, stop };
}

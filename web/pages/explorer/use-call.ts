import { useCallback, useEffect, useRef, useState } from "react";
import { callService, type ServiceCall } from "./call-service.ts";

interface CallState<Result> {
  readonly isBusy: boolean;
  readonly error: unknown;
  readonly result: Result | null;
  readonly requestId: string | null;
}

const idle = { isBusy: false, error: null, result: null, requestId: null };

/** One call at a time, which can be stopped. @param read makes the result of the answer */
export function useCall<Result>(read: (response: Response) => Promise<Result>) {
  const [state, setState] = useState<CallState<Result>>(idle);
  const running = useRef<AbortController | null>(null);
  const stop = useCallback(() => running.current?.abort(), []);
  useEffect(() => stop, [stop]);
  const run = async (call: Omit<ServiceCall, "signal">) => {
    stop();
    const controller = new AbortController();
    running.current = controller;
    setState({ ...idle, isBusy: true });
    try {
      const { response, requestId } = await callService({ ...call, signal: controller.signal });
      setState({ ...idle, result: await read(response), requestId });
    } catch (error) {
      setState({ ...idle, error: controller.signal.aborted ? null : error });
    }
  };
  return { ...state, run, stop };
}

import type { Frame } from "../dialect.ts";
import type { Script } from "../script.ts";
import { encodeFrame } from "./sse.ts";

/** A stream's events as text, with those faults that lie in an event. */
export function* planStream(frames: Iterable<Frame>, error: Frame, script: Script): Generator<string> {
  const framing = script.framing ?? {};
  const fault = script.fault;
  const position = faultPosition(script);
  let sent = 0;
  for (const frame of frames) {
    if (sent !== position) {
      yield encodeFrame(frame, framing);
    } else if (fault?.kind === "malformed_json") {
      yield encodeFrame({ ...frame, data: `${frame.data.slice(0, 1)},${frame.data.slice(1)}` }, framing);
    } else if (fault?.kind === "truncated_json") {
      yield encodeFrame({ ...frame, data: frame.data.slice(0, Math.floor(frame.data.length / 2)) }, framing);
      return;
    } else {
      yield encodeFrame(error, framing);
      return;
    }
    sent += 1;
  }
}

/** Which event is the faulty one, counted from 0; null: none. */
function faultPosition(script: Script): number | null {
  switch (script.fault?.kind) {
    case "error_first":
      return 0;
    case "error_event":
    case "malformed_json":
    case "truncated_json":
      return script.fault.after ?? 1;
    default:
      return null;
  }
}

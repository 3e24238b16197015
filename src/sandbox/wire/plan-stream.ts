import type { Frame } from "../dialect.ts";
import type { Script } from "../script/script.ts";
import { encodeFrame } from "./sse.ts";

/** The events of a stream as text, including faults of events. */
export function* planStream(frames: Iterable<Frame>, error: Frame, script: Script): Generator<string> {
  const framing = script.framing ?? {};
  const fault = script.fault;
  const position = faultPosition(script);
  const write = (frame: Frame) =>
    frame.form === "array-item" ? (sent === 0 ? "[" : ",\r\n") + frame.data : encodeFrame(frame, framing);
  let sent = 0;
  for (const frame of frames) {
    if (sent !== position) {
      yield write(frame);
    } else if (fault?.kind === "malformed_json") {
      yield write({ ...frame, data: `${frame.data.slice(0, 1)},${frame.data.slice(1)}` });
    } else if (fault?.kind === "truncated_json") {
      yield write({ ...frame, data: frame.data.slice(0, Math.floor(frame.data.length / 2)) });
      return;
    } else {
      yield write(error);
      break;
    }
    sent += 1;
  }
  if (error.form === "array-item") yield "]";
}

/** The index of the faulty event; null: none. */
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

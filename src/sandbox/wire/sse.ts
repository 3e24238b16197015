import type { Frame } from "../dialect.ts";
import type { Framing } from "../script/script.ts";

const newlines = { lf: "\n", crlf: "\r\n", cr: "\r" } as const;

/** Writes one Server-Sent Event with the given framing. */
export function encodeFrame(frame: Frame, framing: Framing): string {
  const newline = newlines[framing.newline ?? "lf"];
  const field = framing.no_space === true ? "data:" : "data: ";
  const lines = framing.multi_line === true ? spread(frame.data) : [frame.data];
  return [
    ...(framing.comments === true ? [": still here", ""] : []),
    ...(frame.event === undefined ? [] : [`event: ${frame.event}`]),
    ...lines.map((line) => field + line),
    "",
    "",
  ].join(newline);
}

/** Splits JSON over several lines, after its first and before its last character. */
function spread(data: string): readonly string[] {
  const isJson = data.startsWith("{") && data.endsWith("}");
  return isJson ? [data.slice(0, 1), data.slice(1, -1), data.slice(-1)] : [data];
}

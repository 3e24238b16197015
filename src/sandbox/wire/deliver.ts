import { defaultBreakDelayMs, isFault } from "../script/fault.ts";
import type { Script } from "../script/script.ts";
import type { Answer } from "./answer.ts";
import type { Line } from "./line.ts";
import { splitBytes } from "./split-bytes.ts";

const encoder = new TextEncoder();
const garbage = encoder.encode("x".repeat(65_536));
const maxGarbageWrites = 16_384;

/** Sends an answer with the delays and faults of its script. */
export async function deliver(line: Line, answer: Answer, script: Script): Promise<void> {
  const fault = script.fault;
  if (!(await line.pause(script.latency_ms ?? 0))) return;
  if (fault?.kind === "close") return line.cut();
  if (fault?.kind === "reset" && fault.after === undefined) return line.reset();
  if (fault?.kind === "stall" && fault.at === "headers") return line.hold();

  if (!(await sendHead(line, answer, script))) return;
  if (!(await line.pause(script.first_byte_ms ?? 0))) return;
  if (fault?.kind === "stall" && fault.at === "first_byte") return line.hold();
  if (fault?.kind === "garbage") return sendGarbage(line);

  const sent =
    typeof answer.body === "string" ? sendText(line, answer.body, script) : sendParts(line, answer.body, script);
  if (await sent) line.end();
}

async function sendHead(line: Line, answer: Answer, script: Script): Promise<boolean> {
  const fault = script.fault;
  // A body that ends too early must not have a Content-Length.
  const knowsLength = !isFault(fault, "end") && !isFault(fault, "garbage");
  const headers =
    typeof answer.body === "string" && knowsLength
      ? { ...answer.headers, "content-length": String(encoder.encode(answer.body).length) }
      : answer.headers;
  if (isFault(fault, "slow_headers")) return line.slowHead(answer.status, headers, fault.delay_ms ?? 50);
  line.head(answer.status, headers);
  return true;
}

/** Sends the parts of a stream. False: the stream was broken off, or the caller disconnected. */
async function sendParts(line: Line, parts: Iterable<string | Uint8Array>, script: Script): Promise<boolean> {
  const merges = script.framing?.split === "merge";
  const breakAfter = breakingPoint(script);
  let merged = new Uint8Array(0);
  let sent = 0;
  for (const part of parts) {
    if (sent === breakAfter) {
      if (merged.length > 0) await sendBytes(line, merged, script);
      await breakOff(line, script);
      return false;
    }
    if (merges) {
      merged = Buffer.concat([merged, typeof part === "string" ? encoder.encode(part) : part]);
    } else {
      if (sent > 0 && !(await line.pause(script.chunk_delay_ms ?? 0))) return false;
      if (!(await sendBytes(line, part, script))) return false;
    }
    sent += 1;
  }
  return merged.length === 0 || (await sendBytes(line, merged, script));
}

/** Sends a JSON body. A fault inside it comes after its first half. */
async function sendText(line: Line, text: string, script: Script): Promise<boolean> {
  if (breakingPoint(script) === null) return text === "" || (await sendBytes(line, text, script));
  if (await sendBytes(line, text.slice(0, Math.floor(text.length / 2)), script)) await breakOff(line, script);
  return false;
}

async function sendBytes(line: Line, part: string | Uint8Array, script: Script): Promise<boolean> {
  const split = script.framing?.split;
  for (const bytes of splitBytes(typeof part === "string" ? encoder.encode(part) : part, split)) {
    if (!(await line.write(bytes))) return false;
    if (split !== undefined) await line.turn();
  }
  return true;
}

/** The number of parts before the script breaks off; null: it does not. */
function breakingPoint(script: Script): number | null {
  const fault = script.fault;
  switch (fault?.kind) {
    case "cut":
    case "end":
    case "stall":
    case "reset":
      return fault.after ?? 1;
    default:
      return null;
  }
}

async function breakOff(line: Line, script: Script): Promise<void> {
  const fault = script.fault;
  if (isFault(fault, "stall")) return line.hold();
  if (isFault(fault, "end")) return line.end();
  const breaks = isFault(fault, "cut") || isFault(fault, "reset");
  if (!(await line.pause(breaks ? (fault.delay_ms ?? defaultBreakDelayMs) : 0))) return;
  if (isFault(fault, "reset")) line.reset();
  else line.cut();
}

async function sendGarbage(line: Line): Promise<void> {
  for (let write = 0; write < maxGarbageWrites; write += 1) {
    if (!(await line.write(garbage))) return;
  }
  line.cut();
}

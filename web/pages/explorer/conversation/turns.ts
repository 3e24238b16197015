import type { ServiceRequest } from "../call-service.ts";
import type { AnswerMessage, Message, ToolCall, ToolResults, UserMessage } from "./conversation.ts";

/** An answer in the explorer: what has come of it, and how. */
export interface AnswerTurn extends AnswerMessage {
  readonly state: "streaming" | "complete" | "stopped" | "failed";
  readonly error: unknown;
  readonly requestId: string | null;
  readonly request: ServiceRequest;
  readonly timing: Timing;
}

/** Measured by the browser, in milliseconds from the start of the call. Null: not yet. */
export interface Timing {
  readonly firstMs: number | null;
  readonly totalMs: number | null;
}

export type Turn = UserMessage | ToolResults | AnswerTurn;

/**
 * What the next request repeats of a conversation. An answer that was stopped, or whose calls have no results, is repeated by its
 * text alone: no provider takes the rest.
 */
export function messagesOf(turns: readonly Turn[]): readonly Message[] {
  return turns.flatMap((turn, index): readonly Message[] => {
    if (turn.role !== "assistant") return [turn];
    const { role, text, reasoning, calls, native, outputTokens } = turn;
    const isAnswered = calls.length === 0 || turns[index + 1]?.role === "tool";
    if (turn.state === "complete" && isAnswered) return [{ role, text, reasoning, calls, native, outputTokens }];
    return text === "" ? [] : [{ role, text, reasoning: "", calls: [], native: [], outputTokens }];
  });
}

/** The calls that wait for results: those of the last answer. */
export function openCalls(turns: readonly Turn[]): readonly ToolCall[] {
  const last = turns.at(-1);
  return last?.role === "assistant" && last.state === "complete" ? last.calls : [];
}

/** The speed of an answer in tokens a second, after its first word. Null if it is not known, or too short to tell. */
export function tokensPerSecond({ outputTokens, timing }: AnswerTurn): number | null {
  const { firstMs, totalMs } = timing;
  if (outputTokens === null || firstMs === null || totalMs === null) return null;
  const seconds = (totalMs - firstMs) / 1_000;
  return seconds < 0.02 ? null : outputTokens / seconds;
}

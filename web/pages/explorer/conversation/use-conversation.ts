import { useCallback, useEffect, useRef, useState } from "react";
import { callService } from "../call-service.ts";
import type { ConversationSettings, Dialect, ToolResults, UserMessage } from "./conversation.ts";
import { emptyAnswer } from "./conversation.ts";
import { readEvents } from "./read-events.ts";
import { type AnswerTurn, messagesOf, type Turn } from "./turns.ts";

/** With what the next answer is asked for. */
export interface Asked {
  readonly model: string;
  readonly settings: ConversationSettings;
  readonly key: string;
}

/** A conversation with one model, streamed. */
export function useConversation(dialect: Dialect) {
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const [isBusy, setBusy] = useState(false);
  const running = useRef<AbortController | null>(null);
  const stop = useCallback(() => running.current?.abort(), []);
  useEffect(() => stop, [stop]);

  const ask = async (before: readonly Turn[], { model, settings, key }: Asked) => {
    const controller = new AbortController();
    running.current = controller;
    const body = dialect.body({ model, settings, messages: messagesOf(before) });
    const request = { path: dialect.path(model), body };
    const startedAt = performance.now();
    let turn: AnswerTurn = {
      role: "assistant",
      ...emptyAnswer,
      state: "streaming",
      error: null,
      requestId: null,
      request,
      timing: { firstMs: null, totalMs: null },
    };
    const change = (part: Partial<AnswerTurn>) => {
      turn = { ...turn, ...part };
      if (running.current === controller) setTurns([...before, turn]);
    };
    const elapsed = () => performance.now() - startedAt;
    setBusy(true);
    change({});
    try {
      const { response, requestId } = await callService({ ...request, key, signal: controller.signal });
      change({ requestId });
      if (response.body) {
        for await (const event of readEvents(response.body)) {
          const answer = dialect.read(turn, event);
          const hasBegun = answer.text !== "" || answer.reasoning !== "" || answer.calls.length > 0;
          const firstMs = turn.timing.firstMs ?? (hasBegun ? elapsed() : null);
          change({ ...answer, timing: { firstMs, totalMs: null } });
        }
      }
      change({ state: "complete" });
    } catch (error) {
      change(controller.signal.aborted ? { state: "stopped" } : { state: "failed", error });
    } finally {
      change({ timing: { ...turn.timing, totalMs: elapsed() } });
      if (running.current === controller) setBusy(false);
    }
  };
  /** Says something, or gives the results of calls. */
  const say = (message: UserMessage | ToolResults, asked: Asked) => ask([...turns, message], asked);
  /** Asks for the last answer once more. */
  const retry = (asked: Asked) => ask(turns.at(-1)?.role === "assistant" ? turns.slice(0, -1) : turns, asked);
  const clear = () => {
    stop();
    running.current = null;
    setBusy(false);
    setTurns([]);
  };
  return { turns, isBusy, say, retry, stop, clear };
}

import { useCallback, useEffect, useRef, useState } from "react";
import { callService } from "./call-service.ts";
import { readChat } from "./read-chat.ts";

export interface Turn {
  readonly role: "user" | "assistant";
  readonly content: string;
  /** Of an answer that has ended. */
  readonly requestId?: string | null;
  readonly error?: unknown;
  readonly isStopped?: boolean;
}

/** A conversation with one model, streamed. */
export function useChat() {
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const [isBusy, setBusy] = useState(false);
  const running = useRef<AbortController | null>(null);
  const stop = useCallback(() => running.current?.abort(), []);
  useEffect(() => stop, [stop]);

  const send = async (model: string, system: string, prompt: string, key: string) => {
    const controller = new AbortController();
    running.current = controller;
    const said = [...turns.filter(({ error }) => error === undefined), { role: "user", content: prompt } as const];
    const answer = (turn: Partial<Turn>) => setTurns([...said, { role: "assistant", content: "", ...turn }]);
    setBusy(true);
    answer({});
    let content = "";
    let requestId: string | null = null;
    try {
      const messages = said.map(({ role, content: text }) => ({ role, content: text }));
      const first = system.trim() === "" ? [] : [{ role: "system", content: system }];
      const body = { model, stream: true, messages: [...first, ...messages] };
      const call = { path: "/v1/chat/completions", key, body, signal: controller.signal };
      const answered = await callService(call);
      ({ requestId } = answered);
      if (answered.response.body) {
        for await (const piece of readChat(answered.response.body)) {
          content += piece;
          answer({ content });
        }
      }
      answer({ content, requestId });
    } catch (error) {
      answer(controller.signal.aborted ? { content, requestId, isStopped: true } : { content, requestId, error });
    } finally {
      setBusy(false);
    }
  };
  const clear = () => {
    stop();
    setTurns([]);
  };
  return { turns, isBusy, send, stop, clear };
}

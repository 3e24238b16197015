import { type Ref, useEffect, useImperativeHandle, useRef } from "react";
import { IconButton } from "../../components/button.tsx";
import { ErrorNote } from "../../components/error-note.tsx";
import { Icon } from "../../components/icon.tsx";
import { words } from "../../words/en.ts";
import { RecordLine } from "./record-line.tsx";
import { type Turn, useChat } from "./use-chat.ts";

const text = words.explorer;

/** What the form below all columns tells each of them. */
export interface ChatHandle {
  readonly send: (system: string, prompt: string, key: string) => Promise<void>;
  readonly stop: () => void;
  readonly clear: () => void;
}

interface ChatColumnProps {
  readonly model: string;
  readonly models: readonly string[];
  readonly handle: Ref<ChatHandle>;
  readonly onModel: (model: string) => void;
  /** Null for the only column. */
  readonly onRemove: (() => void) | null;
}

/** A conversation with one model, beside those with others. */
export function ChatColumn({ model, models, handle, onModel, onRemove }: ChatColumnProps) {
  const chat = useChat();
  const log = useRef<HTMLDivElement>(null);
  useImperativeHandle(handle, () => ({
    send: (system, prompt, key) => chat.send(model, system, prompt, key),
    stop: chat.stop,
    clear: chat.clear,
  }));
  useEffect(() => {
    // The log alone scrolls, not the page around it.
    if (log.current) log.current.scrollTop = log.current.scrollHeight;
  }, [chat.turns]);
  return (
    <section aria-label={model} className="flex min-h-48 min-w-0 flex-1 flex-col bg-canvas max-sm:min-h-56">
      <div className="flex items-center gap-1 border-b border-line px-3 py-1.5">
        <select
          aria-label={text.model}
          value={model}
          onChange={(event) => onModel(event.target.value)}
          className="h-8 min-w-0 flex-1 rounded-md bg-transparent text-sm font-medium hover:bg-hover"
        >
          {models.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        {onRemove && (
          <IconButton label={text.removeModel(model)} onClick={onRemove}>
            <Icon name="close" className="size-3.5" />
          </IconButton>
        )}
      </div>
      <div
        ref={log}
        role="log"
        tabIndex={0}
        aria-label={model}
        aria-busy={chat.isBusy}
        className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto p-4"
      >
        {chat.turns.length === 0 && <p className="m-auto max-w-60 text-center text-sm text-faint">{text.empty}</p>}
        {chat.turns.map((turn, index) => (
          <TurnView key={index} turn={turn} isBusy={chat.isBusy && index === chat.turns.length - 1} />
        ))}
      </div>
    </section>
  );
}

function TurnView({ turn, isBusy }: { readonly turn: Turn; readonly isBusy: boolean }) {
  if (turn.role === "user") {
    return (
      <p className="max-w-[85%] self-end rounded-lg bg-accent-soft px-3 py-2 text-sm wrap-anywhere whitespace-pre-wrap">
        {turn.content}
      </p>
    );
  }
  return (
    <div className="flex flex-col gap-1.5">
      {(turn.content !== "" || isBusy) && (
        <p className="text-base wrap-anywhere whitespace-pre-wrap">
          {turn.content}
          {isBusy && (
            <span className="ml-0.5 inline-block h-4 w-1.5 animate-[pulse_1s_infinite] rounded-sm bg-faint align-text-bottom" />
          )}
        </p>
      )}
      {turn.isStopped === true && <p className="text-xs text-faint">{text.stopped}</p>}
      {turn.error !== undefined && <ErrorNote error={turn.error} />}
      {typeof turn.requestId === "string" && <RecordLine requestId={turn.requestId} />}
    </div>
  );
}

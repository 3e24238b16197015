import { type Ref, useEffect, useImperativeHandle, useRef } from "react";
import { IconButton } from "../../../components/button.tsx";
import { Icon } from "../../../components/icon.tsx";
import { words } from "../../../words/en.ts";
import { AnswerView } from "./answer-view.tsx";
import { CallsForm } from "./calls-form.tsx";
import type { ConversationSettings, Dialect, UserMessage } from "./conversation.ts";
import { openCalls, type Turn } from "./turns.ts";
import { useConversation } from "./use-conversation.ts";

const text = words.explorer;

/** What the form below all columns tells each of them. */
export interface ColumnHandle {
  readonly say: (message: UserMessage) => void;
  readonly stop: () => void;
  readonly clear: () => void;
}

interface ConversationColumnProps {
  readonly dialect: Dialect;
  readonly model: string;
  readonly models: readonly string[];
  readonly apiKey: string;
  /** Null if something in them is wrong. */
  readonly settings: ConversationSettings | null;
  readonly handle: Ref<ColumnHandle>;
  readonly onBusy: (isBusy: boolean) => void;
  readonly onModel: (model: string) => void;
  /** Null for the only column. */
  readonly onRemove: (() => void) | null;
}

/** A conversation with one model, beside those with others. */
export function ConversationColumn(props: ConversationColumnProps) {
  const { dialect, model, models, apiKey, settings, handle, onBusy, onModel, onRemove } = props;
  const { turns, isBusy, say, retry, stop, clear } = useConversation(dialect);
  const log = useRef<HTMLDivElement>(null);
  const asked = settings && { model, settings, key: apiKey };
  useImperativeHandle(handle, () => ({ say: (message) => asked && void say(message, asked), stop, clear }));
  useEffect(() => onBusy(isBusy), [isBusy, onBusy]);
  useEffect(() => {
    // The log alone scrolls, not the page around it.
    if (log.current) log.current.scrollTop = log.current.scrollHeight;
  }, [turns]);
  const calls = openCalls(turns);
  const canAsk = asked !== null && apiKey !== "" && !isBusy;
  return (
    <section aria-label={model} className="flex min-h-48 min-w-0 flex-1 flex-col bg-canvas max-sm:min-h-72 sm:min-w-64">
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
        aria-busy={isBusy}
        className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto p-4"
      >
        {turns.length === 0 && <p className="m-auto max-w-60 text-center text-sm text-faint">{text.empty}</p>}
        {turns.map((turn, index) => {
          const isLast = index === turns.length - 1;
          return <TurnView key={index} turn={turn} retry={isLast && canAsk ? () => void retry(asked) : null} />;
        })}
        {calls.length > 0 && canAsk && <CallsForm calls={calls} onAnswer={(results) => void say(results, asked)} />}
      </div>
    </section>
  );
}

const ownTurn = "max-w-[85%] self-end rounded-lg bg-accent-soft px-3 py-2 text-sm wrap-anywhere whitespace-pre-wrap";

function TurnView({ turn, retry }: { readonly turn: Turn; readonly retry: (() => void) | null }) {
  switch (turn.role) {
    case "assistant":
      return <AnswerView turn={turn} retry={retry} />;
    case "tool":
      return (
        <div className={ownTurn}>
          {turn.results.map(({ call, content }, index) => (
            <p key={index}>
              <span className="block text-xs text-dim">{text.calls.result(call.name)}</span>
              {content}
            </p>
          ))}
        </div>
      );
    case "user":
      return (
        <div className={ownTurn}>
          {turn.pictures.length > 0 && (
            <div className="mb-1 flex flex-wrap gap-1">
              {turn.pictures.map((picture, index) =>
                picture.url.startsWith("data:") ? (
                  <img key={index} src={picture.url} alt={picture.name} className="max-h-32 rounded-md" />
                ) : (
                  <span key={index} className="text-xs text-dim">
                    {picture.url}
                  </span>
                ),
              )}
            </div>
          )}
          {turn.text}
        </div>
      );
  }
}

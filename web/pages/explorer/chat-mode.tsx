import { type KeyboardEvent, useRef, useState } from "react";
import { Button } from "../../components/button.tsx";
import { Icon } from "../../components/icon.tsx";
import { words } from "../../words/en.ts";
import { ChatColumn, type ChatHandle } from "./chat-column.tsx";
import { useModelsOf } from "./model-select.tsx";

const text = words.explorer;
const maxColumns = 4;

interface Column {
  readonly id: number;
  /** Empty for the first model there is. */
  readonly model: string;
}

/** Up to four models, which are asked the same. */
export function ChatMode({ apiKey }: { readonly apiKey: string }) {
  const models = useModelsOf("chat");
  const [columns, setColumns] = useState<readonly Column[]>([{ id: 0, model: "" }]);
  const [isBusy, setBusy] = useState(false);
  const handles = useRef(new Map<number, ChatHandle>());
  const forAll = (act: (handle: ChatHandle) => void) => {
    for (const { id } of columns) {
      const handle = handles.current.get(id);
      if (handle) act(handle);
    }
  };
  const send = async (system: string, prompt: string) => {
    setBusy(true);
    const running: Promise<void>[] = [];
    forAll((handle) => running.push(handle.send(system, prompt, apiKey)));
    await Promise.allSettled(running);
    setBusy(false);
  };
  const add = () => {
    const used = columns.map(({ model }, index) => model || models[index]);
    const model = models.find((name) => !used.includes(name)) ?? models[0] ?? "";
    setColumns([...columns, { id: Math.max(...columns.map(({ id }) => id)) + 1, model }]);
  };
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex min-h-0 flex-1 gap-px overflow-auto bg-line max-sm:flex-col">
        {columns.map(({ id, model }) => (
          <ChatColumn
            key={id}
            model={model || (models[0] ?? "")}
            models={models}
            handle={(handle) => {
              if (handle) handles.current.set(id, handle);
              else handles.current.delete(id);
            }}
            onModel={(next) => setColumns(columns.map((column) => (column.id === id ? { id, model: next } : column)))}
            onRemove={columns.length === 1 ? null : () => setColumns(columns.filter((column) => column.id !== id))}
          />
        ))}
      </div>
      <ChatForm
        canSend={apiKey !== "" && models.length > 0}
        hasKey={apiKey !== ""}
        isBusy={isBusy}
        onSend={send}
        onStop={() => forAll(({ stop }) => stop())}
        onClear={() => forAll(({ clear }) => clear())}
        onAdd={columns.length < maxColumns && models.length > 1 ? add : null}
      />
    </div>
  );
}

interface ChatFormProps {
  readonly canSend: boolean;
  readonly hasKey: boolean;
  readonly isBusy: boolean;
  readonly onSend: (system: string, prompt: string) => Promise<void>;
  readonly onStop: () => void;
  readonly onClear: () => void;
  readonly onAdd: (() => void) | null;
}

function ChatForm({ canSend, hasKey, isBusy, onSend, onStop, onClear, onAdd }: ChatFormProps) {
  const [prompt, setPrompt] = useState("");
  const [system, setSystem] = useState("");
  const isReady = canSend && !isBusy && prompt.trim() !== "";
  const send = () => {
    if (!isReady) return;
    setPrompt("");
    void onSend(system, prompt);
  };
  const listen = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <div className="border-t border-line p-3 sm:px-6">
      <details className="mb-2">
        <summary className="cursor-pointer text-xs text-dim">{text.system}</summary>
        <textarea
          aria-label={text.system}
          rows={2}
          value={system}
          onChange={(event) => setSystem(event.target.value)}
          className="field mt-1 h-auto py-1.5"
        />
      </details>
      <textarea
        aria-label={text.prompt}
        placeholder={text.promptPlaceholder}
        rows={2}
        value={prompt}
        onChange={(event) => setPrompt(event.target.value)}
        onKeyDown={listen}
        className="field h-auto py-1.5"
      />
      <div className="mt-2 flex flex-wrap items-center gap-2">
        {onAdd && (
          <Button small look="quiet" onClick={onAdd}>
            <Icon name="plus" className="size-3" />
            {text.addModel}
          </Button>
        )}
        <Button small look="quiet" onClick={onClear}>
          {text.clear}
        </Button>
        <span className="flex-1 text-right text-xs text-faint max-sm:basis-full max-sm:text-left max-sm:empty:hidden">
          {!hasKey && text.needsKey}
        </span>
        {isBusy ? (
          <Button onClick={onStop}>
            <Icon name="stop" className="size-3.5" />
            {text.stop}
          </Button>
        ) : (
          <Button look="primary" disabled={!isReady} onClick={send}>
            <Icon name="send" className="size-3.5" />
            {text.send}
          </Button>
        )}
      </div>
    </div>
  );
}

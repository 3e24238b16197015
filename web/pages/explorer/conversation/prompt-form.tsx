import { type KeyboardEvent, useState } from "react";
import { Button } from "../../../components/button.tsx";
import { Icon } from "../../../components/icon.tsx";
import { words } from "../../../words/en.ts";
import type { Picture, UserMessage } from "./conversation.ts";
import { PicturesField } from "./pictures-field.tsx";

const text = words.explorer;

interface PromptFormProps {
  readonly canSend: boolean;
  readonly hasKey: boolean;
  readonly hasPictures: boolean;
  readonly isBusy: boolean;
  readonly onSend: (message: UserMessage) => void;
  readonly onStop: () => void;
  readonly onClear: () => void;
  /** Null if there is no further model. */
  readonly onAdd: (() => void) | null;
}

/** What is said to all columns at once. */
export function PromptForm(props: PromptFormProps) {
  const { canSend, hasKey, hasPictures, isBusy, onSend, onStop, onClear, onAdd } = props;
  const [prompt, setPrompt] = useState("");
  const [pictures, setPictures] = useState<readonly Picture[] | null>(null);
  const isReady = canSend && !isBusy && prompt.trim() !== "";
  const send = () => {
    if (!isReady) return;
    setPrompt("");
    setPictures(null);
    onSend({ role: "user", text: prompt, pictures: hasPictures ? (pictures ?? []) : [] });
  };
  const listen = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <div className="border-t border-line p-3 sm:px-6">
      {hasPictures && pictures !== null && <PicturesField pictures={pictures} onChange={setPictures} />}
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
        {hasPictures && (
          <Button
            small
            look="quiet"
            aria-expanded={pictures !== null}
            onClick={() => setPictures(pictures === null ? [] : null)}
          >
            <Icon name="image" className="size-3.5" />
            {text.pictures.add}
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

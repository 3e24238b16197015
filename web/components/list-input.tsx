import { type KeyboardEvent, useId, useState } from "react";
import { words } from "../words/en.ts";
import { Field } from "./field.tsx";
import { Icon } from "./icon.tsx";

interface ListInputProps {
  readonly label: string;
  readonly hint?: string;
  readonly error?: string | null;
  readonly values: readonly string[];
  readonly onChange: (values: readonly string[]) => void;
  /** What to offer while it is typed. */
  readonly suggestions?: readonly string[];
}

/** Several short texts. Enter and a comma end one, Backspace takes the last one back. */
export function ListInput({ label, hint, error, values, onChange, suggestions = [] }: ListInputProps) {
  const [text, setText] = useState("");
  const listId = useId();
  const add = (typed: string) => {
    const added = typed.split(/[\s,]+/).filter((value) => value !== "" && !values.includes(value));
    if (added.length > 0) onChange([...values, ...added]);
    setText("");
  };
  const listen = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Enter" && text.trim() !== "") {
      event.preventDefault();
      add(text);
    } else if (event.key === "Backspace" && text === "" && values.length > 0) onChange(values.slice(0, -1));
  };
  const change = (typed: string) => {
    // One that was picked from the list is complete.
    if (/[,\s]/.test(typed) || suggestions.includes(typed)) add(typed);
    else setText(typed);
  };
  return (
    <Field label={label} hint={hint} error={error ?? null}>
      {(named) => (
        <div className="field flex h-auto min-h-8 flex-wrap items-center gap-1 px-1.5 py-1 focus-within:outline-2 focus-within:outline-offset-1 focus-within:outline-accent">
          {values.map((value) => (
            <span key={value} className="inline-flex max-w-full items-center gap-1 rounded-sm bg-hover pl-1.5 text-xs">
              <span className="truncate">{value}</span>
              <button
                type="button"
                aria-label={`${words.common.delete} ${value}`}
                onClick={() => onChange(values.filter((each) => each !== value))}
                className="p-1 text-dim hover:text-ink"
              >
                <Icon name="close" className="size-2.5" />
              </button>
            </span>
          ))}
          <input
            {...named}
            list={suggestions.length > 0 ? listId : undefined}
            autoComplete="off"
            spellCheck={false}
            value={text}
            onChange={(event) => change(event.target.value)}
            onKeyDown={listen}
            onBlur={() => add(text)}
            className="h-6 min-w-24 flex-1 bg-transparent px-1 outline-none"
          />
          <datalist id={listId}>
            {suggestions
              .filter((value) => !values.includes(value))
              .map((value) => (
                <option key={value} value={value} />
              ))}
          </datalist>
        </div>
      )}
    </Field>
  );
}

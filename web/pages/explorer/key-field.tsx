import { Link } from "@tanstack/react-router";
import { useLayoutEffect, useRef, useState } from "react";
import { Check } from "../../components/check.tsx";
import { Field } from "../../components/field.tsx";
import { handOver, isKept, keep } from "../../session/explorer-key.ts";
import { isOperator, useUser } from "../../session/session.ts";
import { words } from "../../words/en.ts";

const text = words.explorer;

interface KeyFieldProps {
  readonly value: string;
  readonly onChange: (key: string) => void;
}

/** The key that the calls are made with. */
export function KeyField({ value, onChange }: KeyFieldProps) {
  const user = useUser();
  const input = useRef<HTMLInputElement>(null);
  const [kept, setKept] = useState(() => isKept(user.id));
  // React writes the value of an input into the document as an attribute, where this one does not belong.
  useLayoutEffect(() => {
    if (input.current && input.current.value.trim() !== value) input.current.value = value;
  }, [value]);
  const change = (key: string) => {
    handOver(user.id, key);
    if (kept) keep(user.id, key);
    onChange(key);
  };
  const setKeep = (isToBeKept: boolean) => {
    setKept(isToBeKept);
    keep(user.id, isToBeKept ? value : null);
  };
  return (
    <div className="flex flex-wrap items-end gap-x-4 gap-y-1">
      <Field className="w-full max-w-md" label={text.key} hint={kept ? text.keyHintKept : text.keyHint}>
        {(named) => (
          <input
            {...named}
            ref={input}
            type="password"
            autoComplete="off"
            spellCheck={false}
            placeholder={text.keyPlaceholder}
            onInput={({ currentTarget }) => change(currentTarget.value.trim())}
            className="field"
          />
        )}
      </Field>
      <div className="sm:pb-4.5">
        <Check checked={kept} onChange={setKeep}>
          {text.keep}
        </Check>
      </div>
      {value === "" &&
        (isOperator(user) ? (
          <Link
            to="/keys"
            search={{ new: "1" }}
            className="text-sm text-accent max-sm:leading-7 sm:pb-6 hover:underline"
          >
            {text.createKey}
          </Link>
        ) : (
          <span className="text-sm text-dim sm:pb-6">{text.askForKey}</span>
        ))}
    </div>
  );
}

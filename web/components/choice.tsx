import { useLayoutEffect, useRef } from "react";
import { classNames } from "./class-names.ts";

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly (readonly [value: Value, name: string])[];
  readonly onChange: (value: Value) => void;
}

/** One of a few, all of them in sight. */
export function Choice<Value extends string>({ label, value, options, onChange }: ChoiceProps<Value>) {
  const group = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const chosen = group.current?.querySelector<HTMLElement>("[aria-pressed=true]");
    // On a small screen the options scroll: the chosen one is in sight.
    if (group.current && chosen) {
      group.current.scrollLeft = chosen.offsetLeft - (group.current.clientWidth - chosen.offsetWidth) / 2;
    }
  }, [value]);
  return (
    <div
      ref={group}
      role="group"
      aria-label={label}
      className="relative inline-flex max-w-full self-start overflow-x-auto rounded-md border border-line bg-surface p-0.5"
    >
      {options.map(([option, name]) => (
        <button
          key={option}
          type="button"
          aria-pressed={option === value}
          onClick={() => onChange(option)}
          className={classNames(
            "h-6.5 rounded-sm px-2 text-xs font-medium whitespace-nowrap pointer-coarse:h-9 pointer-coarse:px-3",
            option === value ? "bg-hover text-ink" : "text-dim hover:text-ink",
          )}
        >
          {name}
        </button>
      ))}
    </div>
  );
}

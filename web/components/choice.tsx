import { classNames } from "./class-names.ts";

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly (readonly [value: Value, name: string])[];
  readonly onChange: (value: Value) => void;
}

/** One of a few, all of them in sight. */
export function Choice<Value extends string>({ label, value, options, onChange }: ChoiceProps<Value>) {
  return (
    <div
      role="group"
      aria-label={label}
      className="inline-flex max-w-full self-start overflow-x-auto rounded-md border border-line bg-surface p-0.5"
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

import type { ReactNode } from "react";

interface CheckProps {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly children: ReactNode;
  readonly disabled?: boolean;
}

/** A box to tick, with its words beside it. */
export function Check({ checked, onChange, children, disabled = false }: CheckProps) {
  return (
    <label className="flex min-h-7 items-center gap-2 text-sm has-disabled:opacity-60">
      <input
        type="checkbox"
        className="size-4 shrink-0 accent-accent"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span className="min-w-0">{children}</span>
    </label>
  );
}

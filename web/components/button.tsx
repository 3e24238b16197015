import type { ComponentProps, ReactNode } from "react";
import { classNames } from "./class-names.ts";

type Look = "primary" | "plain" | "quiet" | "danger";

const looks: Readonly<Record<Look, string>> = {
  primary: "bg-accent text-on-accent border-accent hover:brightness-110",
  plain: "bg-surface text-ink border-line hover:bg-hover",
  quiet: "border-transparent text-dim hover:bg-hover hover:text-ink",
  danger: "bg-surface text-bad border-line hover:bg-bad-soft",
};

const base =
  "inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md border text-sm font-medium whitespace-nowrap select-none " +
  "transition-colors duration-100 disabled:opacity-50 disabled:pointer-events-none";

interface ButtonProps extends ComponentProps<"button"> {
  readonly look?: Look;
  readonly small?: boolean;
  /** It is working; it cannot be pressed again. */
  readonly busy?: boolean;
}

/** The classes of what looks like a button. */
export function buttonClass(look: Look = "plain", small = false): string {
  return classNames(base, looks[look], small ? "h-7 px-2 text-xs" : "h-8 px-3 pointer-coarse:h-10");
}

export function Button({ look = "plain", small = false, busy = false, className, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      disabled={rest.disabled === true || busy}
      aria-busy={busy || undefined}
      className={classNames(buttonClass(look, small), className)}
    />
  );
}

interface IconButtonProps extends Omit<ComponentProps<"button">, "aria-label"> {
  /** What it does, for those who do not see the icon. */
  readonly label: string;
  readonly children: ReactNode;
}

export function IconButton({ label, className, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      {...rest}
      className={classNames(
        "inline-flex size-7 shrink-0 items-center justify-center rounded-md text-dim hover:bg-hover hover:text-ink pointer-coarse:size-10 disabled:opacity-40",
        className,
      )}
    />
  );
}

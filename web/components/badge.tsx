import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";

export type Tone = "good" | "bad" | "warn" | "plain" | "accent";

const tones: Readonly<Record<Tone, string>> = {
  good: "bg-good-soft text-good",
  bad: "bg-bad-soft text-bad",
  warn: "bg-warn-soft text-warn",
  plain: "bg-hover text-dim",
  accent: "bg-accent-soft text-accent",
};

/** A state in a word. */
export function Badge({ tone = "plain", children, title }: { tone?: Tone; children: ReactNode; title?: string }) {
  return (
    <span
      title={title}
      className={classNames(
        "inline-flex max-w-full items-center truncate rounded-sm px-1.5 text-2xs leading-[1.125rem] font-medium",
        tones[tone],
      )}
    >
      {children}
    </span>
  );
}

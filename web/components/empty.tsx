import type { ReactNode } from "react";
import { Icon, type IconName } from "./icon.tsx";

interface EmptyProps {
  readonly icon: IconName;
  readonly title: string;
  /** What this is for, and what to do first. */
  readonly children: ReactNode;
  readonly action?: ReactNode;
}

/** A page with nothing in it yet: what would be here, and the first step. */
export function Empty({ icon, title, children, action }: EmptyProps) {
  return (
    <div data-empty className="mx-auto flex max-w-md flex-col items-center px-4 py-16 text-center">
      <span className="mb-3 rounded-lg border border-line bg-surface p-2.5 text-dim">
        <Icon name={icon} className="size-5" />
      </span>
      <h2 className="text-base font-semibold">{title}</h2>
      <div className="mt-1 text-sm text-dim">{children}</div>
      {action !== undefined && <div className="mt-4 w-full">{action}</div>}
    </div>
  );
}

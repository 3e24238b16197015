import { type ReactNode, useEffect } from "react";
import { words } from "../words/en.ts";
import { classNames } from "./class-names.ts";

interface PageProps {
  readonly title: string;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  /** It is as high as the screen, and scrolls within. */
  readonly fill?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A page: its name, what can be done, and what is in it. */
export function Page({ title, description, actions, fill = false, className, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · ${words.product}`;
  }, [title]);
  return (
    <div className={classNames("flex flex-col", fill ? "h-full" : "min-h-full", className)}>
      <header className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-line px-4 py-2.5 sm:px-6 sm:py-3">
        <div className="min-w-fit flex-1 sm:min-w-0">
          <h1 className="text-lg font-semibold tracking-tight">{title}</h1>
          {description !== undefined && <p className="hidden max-w-[95ch] text-sm text-dim sm:block">{description}</p>}
        </div>
        {actions !== undefined && <div className="flex max-w-full min-w-0 flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** A part of a page with a name. */
export function Section({ title, actions, children }: Omit<PageProps, "description" | "fill" | "className">) {
  return (
    <section className="border-b border-line last:border-b-0">
      <div className="flex min-h-11 flex-wrap items-center gap-2 px-4 py-1.5 sm:px-6">
        <h2 className="flex-1 text-sm font-semibold">{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  );
}

import { type ReactNode, useEffect } from "react";
import { words } from "../../words/en.ts";

interface SignInFrameProps {
  readonly title: string;
  readonly description?: string;
  readonly children: ReactNode;
}

/** A page before the sign-in: a narrow form in the middle. */
export function SignInFrame({ title, description, children }: SignInFrameProps) {
  useEffect(() => {
    document.title = `${title} · ${words.product}`;
  }, [title]);
  return (
    <main className="flex min-h-dvh items-center justify-center bg-sunken p-4">
      <div className="w-full max-w-sm">
        <p className="mb-4 text-center text-sm font-semibold tracking-tight text-dim">{words.product}</p>
        <div className="rounded-lg border border-line bg-surface p-5 sm:p-6">
          <h1 className="text-lg font-semibold tracking-tight">{title}</h1>
          {description !== undefined && <p className="mt-1 text-sm text-dim">{description}</p>}
          <div className="mt-4">{children}</div>
        </div>
      </div>
    </main>
  );
}

import type { FormEvent, ReactNode } from "react";
import { Button } from "../../components/button.tsx";
import { ErrorNote } from "../../components/error-note.tsx";
import { words } from "../../words/en.ts";
import { RecordLine } from "./record-line.tsx";

const text = words.explorer;

interface RunFormProps {
  readonly hasKey: boolean;
  readonly canRun: boolean;
  readonly call: {
    readonly isBusy: boolean;
    readonly error: unknown;
    readonly requestId: string | null;
    readonly stop: () => void;
  };
  readonly onRun: () => void;
  /** The fields. */
  readonly children: ReactNode;
  readonly result: ReactNode;
}

/** Fields, a button that makes the call or stops it, and below what came of it. */
export function RunForm({ hasKey, canRun, call, onRun, children, result }: RunFormProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (hasKey && canRun) onRun();
  };
  return (
    <div className="grid gap-6 p-4 sm:p-6 lg:grid-cols-[20rem_1fr]">
      <form onSubmit={submit} className="flex flex-col gap-3">
        {children}
        {call.isBusy ? (
          <Button onClick={call.stop}>{text.stop}</Button>
        ) : (
          <Button type="submit" look="primary" disabled={!hasKey || !canRun}>
            {text.run}
          </Button>
        )}
        {!hasKey && <p className="text-xs text-faint">{text.needsKey}</p>}
      </form>
      <div className="min-w-0" aria-live="polite" aria-busy={call.isBusy}>
        {call.error !== null && <ErrorNote error={call.error} />}
        {result}
        {call.requestId !== null && (
          <div className="mt-3">
            <RecordLine requestId={call.requestId} />
          </div>
        )}
      </div>
    </div>
  );
}

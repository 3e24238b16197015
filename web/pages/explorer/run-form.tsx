import type { FormEvent, ReactNode } from "react";
import { Button } from "../../components/button.tsx";
import { milliseconds } from "../../format/number.ts";
import { words } from "../../words/en.ts";
import { CallError } from "./call-error.tsx";
import { RecordLine } from "./record-line.tsx";
import type { CallState } from "./use-call.ts";

const text = words.explorer;

interface RunFormProps {
  readonly hasKey: boolean;
  readonly canRun: boolean;
  readonly call: CallState<unknown> & { readonly stop: () => void };
  readonly onRun: () => void;
  /** The fields. */
  readonly children: ReactNode;
  readonly result: ReactNode;
}

/** Fields, a button that makes the call or stops it, and below what came of it. */
export function RunForm({ hasKey, canRun, call, onRun, children, result }: RunFormProps) {
  const isReady = hasKey && canRun && !call.isBusy;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady) onRun();
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
      <div className="flex min-w-0 flex-col gap-3" aria-live="polite" aria-busy={call.isBusy}>
        {call.error !== null && <CallError error={call.error} />}
        {result}
        {!call.isBusy && call.request && (
          <RecordLine requestId={call.requestId} request={call.request} retry={isReady ? onRun : null}>
            {call.totalMs !== null && <span className="numeric">{text.answeredIn(milliseconds(call.totalMs))}</span>}
          </RecordLine>
        )}
      </div>
    </div>
  );
}

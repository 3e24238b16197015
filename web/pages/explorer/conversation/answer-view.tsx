import { milliseconds } from "../../../format/number.ts";
import { words } from "../../../words/en.ts";
import { CallError } from "../call-error.tsx";
import { RecordLine } from "../record-line.tsx";
import type { ToolCall } from "./conversation.ts";
import { type AnswerTurn, tokensPerSecond } from "./turns.ts";

const text = words.explorer;

interface AnswerViewProps {
  readonly turn: AnswerTurn;
  /** Asks for it once more; null for an earlier answer. */
  readonly retry: (() => void) | null;
}

/** An answer as it comes, then what it has cost and how long it took. */
export function AnswerView({ turn, retry }: AnswerViewProps) {
  const isBusy = turn.state === "streaming";
  return (
    <div className="flex flex-col gap-2">
      {turn.reasoning !== "" && (
        <details open={isBusy && turn.text === ""} className="rounded-md border border-line bg-sunken">
          <summary className="cursor-pointer px-3 py-1.5 text-xs text-dim">{text.reasoning}</summary>
          <p className="border-t border-line px-3 py-2 text-sm wrap-anywhere whitespace-pre-wrap text-dim">
            {turn.reasoning}
          </p>
        </details>
      )}
      {(turn.text !== "" || isBusy) && (
        <p className="text-base wrap-anywhere whitespace-pre-wrap">
          {turn.text}
          {isBusy && (
            <span className="ml-0.5 inline-block h-4 w-1.5 animate-[pulse_1s_infinite] rounded-sm bg-faint align-text-bottom" />
          )}
        </p>
      )}
      {turn.calls.map((call, index) => (
        <CallView key={index} call={call} />
      ))}
      {turn.state === "stopped" && <p className="text-xs text-faint">{text.stopped}</p>}
      {turn.state === "failed" && <CallError error={turn.error} />}
      {!isBusy && (
        <RecordLine requestId={turn.requestId} request={turn.request} retry={retry}>
          <TimingLine turn={turn} />
        </RecordLine>
      )}
    </div>
  );
}

function CallView({ call }: { readonly call: ToolCall }) {
  return (
    <div className="rounded-md border border-line">
      <p className="border-b border-line px-3 py-1.5 text-xs font-medium">{text.calls.title(call.name)}</p>
      <pre tabIndex={0} aria-label={call.name} className="overflow-x-auto px-3 py-2 font-mono text-xs leading-5">
        {indented(call.arguments)}
      </pre>
    </div>
  );
}

function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}

function TimingLine({ turn }: { readonly turn: AnswerTurn }) {
  const { firstMs, totalMs } = turn.timing;
  const speed = tokensPerSecond(turn);
  return (
    <>
      {firstMs !== null && <span className="numeric">{text.firstToken(milliseconds(firstMs))}</span>}
      {totalMs !== null && <span className="numeric">{text.answeredIn(milliseconds(totalMs))}</span>}
      {speed !== null && <span className="numeric">{text.speed(speed.toFixed(speed < 10 ? 1 : 0))}</span>}
    </>
  );
}

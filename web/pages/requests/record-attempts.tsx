import type { Attempt } from "../../api/types.ts";
import { Badge } from "../../components/badge.tsx";
import { classNames } from "../../components/class-names.ts";
import { Money } from "../../components/values.tsx";
import { milliseconds } from "../../format/number.ts";
import { words } from "../../words/en.ts";
import { startsOf } from "./attempt-starts.ts";

interface RecordAttemptsProps {
  readonly attempts: readonly Attempt[];
  /** How long the whole request took, in milliseconds. */
  readonly totalMs: number;
}

/** The calls to providers in the order in which they began, each as a bar at its place in the time of the request. */
export function RecordAttempts({ attempts, totalMs }: RecordAttemptsProps) {
  if (attempts.length === 0) return <p className="text-sm text-dim">{words.record.noAttempt}</p>;
  const starts = startsOf(attempts);
  const ends = attempts.map(({ latency_ms: time }, index) => (starts[index] ?? 0) + time);
  const scale = Math.max(totalMs, ...ends, 1);
  return (
    <ol className="flex flex-col gap-3">
      {attempts.map((attempt, index) => {
        const start = (starts[index] ?? 0) / scale;
        return <AttemptBar key={index} attempt={attempt} start={start} width={attempt.latency_ms / scale} />;
      })}
    </ol>
  );
}

interface AttemptBarProps {
  readonly attempt: Attempt;
  /** As shares of the whole. */
  readonly start: number;
  readonly width: number;
}

const barColours = { good: "bg-good", bad: "bg-bad", plain: "bg-faint" } as const;

function AttemptBar({ attempt, start, width }: AttemptBarProps) {
  const { outcome } = attempt;
  const tone = outcome === "answered" ? "good" : outcome === "failed" ? "bad" : "plain";
  const said = [attempt.error, attempt.provider_code, attempt.provider_message].filter(Boolean).join(" · ");
  return (
    <li>
      <div className="flex flex-wrap items-center gap-2 text-sm">
        <Badge tone={tone}>{[words.record.outcome[outcome], attempt.status_code].filter(Boolean).join(" ")}</Badge>
        <span className="min-w-0 truncate">
          {[attempt.provider, attempt.upstream_model ?? attempt.model].filter(Boolean).join(" / ")}
        </span>
        <span className="ml-auto flex text-xs text-dim">
          <Money amount={attempt.provider_cost_microusd} />
          {attempt.provider_cost === "estimated" && <span className="ml-1">{words.record.estimated}</span>}
          <span className="numeric w-16 text-right">{milliseconds(attempt.latency_ms)}</span>
        </span>
      </div>
      <div className="mt-1 h-1.5 rounded-sm bg-hover">
        <div
          className={classNames("h-full min-w-0.5 rounded-sm", barColours[tone])}
          style={{ marginLeft: `${Math.min(start, 0.99) * 100}%`, width: `${Math.min(width, 1 - start) * 100}%` }}
        />
      </div>
      {said !== "" && <p className="mt-1 text-xs wrap-anywhere text-bad">{said}</p>}
    </li>
  );
}

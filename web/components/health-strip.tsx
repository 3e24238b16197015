import { count } from "../format/number.ts";
import { shortTime } from "../format/time.ts";
import { words } from "../words/en.ts";
import { classNames } from "./class-names.ts";

const text = words.models.strip;

/** How the calls of the last day ended, for each half hour; null if there were none. */
export type History = {
  readonly bucket_seconds: number;
  readonly until: number;
  readonly ok: readonly number[];
  readonly failed: readonly number[];
} | null;

const buckets = 48;

/** The health of the last day in one line of bars. It is as wide as there is room, with calls or without. */
export function HealthStrip({ history, className }: { readonly history: History; readonly className?: string }) {
  const calls = history?.ok.map((ok, place) => ({ ok, failed: history.failed[place] ?? 0 })) ?? [];
  const sum = (read: (call: (typeof calls)[number]) => number) => calls.reduce((total, call) => total + read(call), 0);
  const [ok, failed] = [sum((call) => call.ok), sum((call) => call.failed)];
  const label = ok + failed === 0 ? text.none : text.calls(ok + failed, count(ok + failed), count(failed));
  return (
    <div className={classNames("flex min-w-0 items-center gap-2", className)}>
      <div role="img" aria-label={label} className="flex h-4 min-w-0 flex-1 items-stretch gap-px">
        {Array.from({ length: buckets }, (_, place) => {
          const call = calls[place] ?? { ok: 0, failed: 0 };
          const begins = history === null ? 0 : history.until - (buckets - place) * history.bucket_seconds;
          return (
            <span
              key={place}
              title={history === null ? undefined : text.bucket(shortTime(begins), count(call.ok), count(call.failed))}
              className={classNames("min-w-px flex-1 rounded-[1px]", toneOf(call.ok, call.failed))}
            />
          );
        })}
      </div>
      <span className="numeric w-24 shrink-0 text-2xs text-faint sm:w-28">{label}</span>
    </div>
  );
}

function toneOf(ok: number, failed: number): string {
  if (ok + failed === 0) return "bg-hover";
  if (failed === 0) return "bg-good";
  return failed * 2 >= ok + failed ? "bg-bad" : "bg-warn";
}

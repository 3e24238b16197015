import { exactMoney, money } from "../format/money.ts";
import { exactTime, relativeTime, shortTime } from "../format/time.ts";

/** An amount; to the micro-dollar on hover. */
export function Money({ amount }: { readonly amount: number }) {
  return (
    <span className="numeric" title={exactMoney(amount)}>
      {money(amount)}
    </span>
  );
}

/** How long ago; the exact time on hover. */
export function Ago({ at }: { readonly at: number }) {
  return (
    <time dateTime={new Date(at * 1000).toISOString()} title={exactTime(at)}>
      {relativeTime(at)}
    </time>
  );
}

/** A time in a list. */
export function At({ at }: { readonly at: number }) {
  return (
    <time className="numeric" dateTime={new Date(at * 1000).toISOString()} title={exactTime(at)}>
      {shortTime(at)}
    </time>
  );
}

/** What stands for nothing. */
export function None() {
  return <span className="text-faint">–</span>;
}

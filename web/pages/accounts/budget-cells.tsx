import type { Budget } from "../../api/types.ts";
import { classNames } from "../../components/class-names.ts";
import { Money } from "../../components/values.tsx";
import { words } from "../../words/en.ts";

const text = words.accounts;

interface SpentProps {
  readonly amount: number;
  readonly spent: number;
}

/** What was spent of a budget, as a bar that turns red at its end. */
export function Spent({ amount, spent }: SpentProps) {
  const part = amount === 0 ? 1 : Math.min(1, spent / amount);
  return (
    <span className="flex items-center justify-end gap-2">
      <span className="h-1.5 w-16 overflow-hidden rounded-sm bg-hover">
        <span
          className={classNames("block h-full", part >= 1 ? "bg-bad" : part >= 0.8 ? "bg-warn" : "bg-good")}
          style={{ width: `${part * 100}%` }}
        />
      </span>
      <Money amount={spent} />
    </span>
  );
}

/** Which requests a budget concerns. */
export function budgetScope({ account, key, model, end_user: user, session, tag, each }: Budget["scope"]): string {
  const parts = [
    key === undefined ? account : text.scopeOfKey(key),
    model,
    user,
    session,
    ...Object.entries(tag ?? {}).map(([name, value]) => `${name}=${value}`),
    each === undefined ? undefined : text.scopeOfEach[each],
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? text.everything : parts.join(" · ");
}

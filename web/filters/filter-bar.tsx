import { Suspense } from "react";
import { Button, buttonClass } from "../components/button.tsx";
import { Icon } from "../components/icon.tsx";
import { later } from "../components/later.ts";
import { money, readMoney } from "../format/money.ts";
import { milliseconds } from "../format/number.ts";
import { words } from "../words/en.ts";
import { type FilterName, filterNames, type Filters } from "./filters.ts";
import { FilterWords } from "./filter-words.tsx";

const text = words.requests;
const FilterForm = later(async () => (await import("./filter-form.tsx")).FilterForm);

interface FilterBarProps {
  readonly filters: Filters;
  readonly onChange: (filters: Filters) => void;
  /** Those that can be set; all unless told. */
  readonly names?: readonly FilterName[];
}

/** The filters that are set, each with a button to take it away, and a form for more. */
export function FilterBar({ filters, onChange, names = filterNames }: FilterBarProps) {
  const set = names.flatMap((name) => (filters[name] === undefined ? [] : [[name, filters[name]] as const]));
  return (
    <>
      <Suspense
        fallback={
          <button type="button" className={buttonClass("plain", true)}>
            <FilterWords />
          </button>
        }
      >
        <FilterForm filters={filters} onChange={onChange} names={names} />
      </Suspense>
      {set.map(([name, value]) => (
        <span
          key={name}
          className="inline-flex h-7 max-w-60 items-center gap-1 rounded-md border border-line bg-accent-soft pl-2 text-xs"
        >
          <span className="shrink-0 text-dim">{text.filter[name]}</span>
          <span className="truncate font-medium">{shown(name, value)}</span>
          <button
            type="button"
            aria-label={text.remove(text.filter[name])}
            onClick={() => onChange({ ...filters, [name]: undefined })}
            className="p-1.5 text-dim hover:text-ink"
          >
            <Icon name="close" className="size-2.5" />
          </button>
        </span>
      ))}
      {set.length > 1 && (
        <Button small look="quiet" onClick={() => onChange({})}>
          {text.clearFilters}
        </Button>
      )}
    </>
  );
}

/** The value of a filter in words. */
function shown(name: FilterName, value: string): string {
  const statuses: Readonly<Record<string, string>> = text.status;
  if (name === "status")
    return value
      .split(",")
      .map((each) => statuses[each] ?? each)
      .join(", ");
  const amount = name === "min_cost" ? readMoney(value) : null;
  if (amount !== null) return money(amount);
  return name === "min_latency" && /^\d+$/.test(value) ? milliseconds(Number(value)) : value;
}

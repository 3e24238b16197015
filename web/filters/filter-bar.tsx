import { Popover } from "@base-ui/react/popover";
import { type FormEvent, useState } from "react";
import { Button, buttonClass } from "../components/button.tsx";
import { Icon } from "../components/icon.tsx";
import { money, readMoney } from "../format/money.ts";
import { milliseconds } from "../format/number.ts";
import { isOperator, useUser } from "../session/session.ts";
import { words } from "../words/en.ts";
import { FilterFields } from "./filter-fields.tsx";
import { type FilterName, filterNames, type Filters, operatorFilters } from "./filters.ts";

const text = words.requests;

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
      <FilterForm filters={filters} onChange={onChange} names={names} />
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

function FilterForm({ filters, onChange, names }: Required<FilterBarProps>) {
  const user = useUser();
  const [open, setOpen] = useState(false);
  const [draft, setDraft] = useState(filters);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onChange(Object.fromEntries(Object.entries(draft).map(([name, value]) => [name, value?.trim() || undefined])));
    setOpen(false);
  };
  const change = (isOpen: boolean) => {
    setDraft(filters);
    setOpen(isOpen);
  };
  return (
    <Popover.Root open={open} onOpenChange={change}>
      <Popover.Trigger className={buttonClass("plain", true)}>
        <Icon name="filter" className="size-3.5" />
        {text.addFilter}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner className="z-50" sideOffset={4} align="start">
          <Popover.Popup
            aria-label={text.filters}
            className="w-80 max-w-[calc(100vw-1rem)] rounded-lg border border-line bg-raised p-3 shadow-pop outline-none"
          >
            <form onSubmit={submit} className="flex max-h-[70vh] flex-col gap-2.5 overflow-y-auto p-0.5">
              <FilterFields
                names={names.filter((name) => isOperator(user) || !operatorFilters.has(name))}
                draft={draft}
                onChange={setDraft}
              />
              <Button type="submit" look="primary" className="mt-1">
                {text.apply}
              </Button>
            </form>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

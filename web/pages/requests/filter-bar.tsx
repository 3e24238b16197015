import { Popover } from "@base-ui/react/popover";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { catalogQuery } from "../../api/catalog.ts";
import { Button, buttonClass } from "../../components/button.tsx";
import { Field } from "../../components/field.tsx";
import { Icon } from "../../components/icon.tsx";
import { isOperator, useUser } from "../../session/session.ts";
import { words } from "../../words/en.ts";
import { type FilterName, filterNames, type Filters, operatorFilters } from "./filters.ts";
import { endpointPaths } from "./endpoints.ts";

const text = words.requests;

interface FilterBarProps {
  readonly filters: Filters;
  readonly onChange: (filters: Filters) => void;
}

/** The filters that are set, each with a button to take it away, and a form for more. */
export function FilterBar({ filters, onChange }: FilterBarProps) {
  const set = filterNames.flatMap((name) => (filters[name] === undefined ? [] : [[name, filters[name]] as const]));
  return (
    <>
      <FilterForm filters={filters} onChange={onChange} />
      {set.map(([name, value]) => (
        <span
          key={name}
          className="inline-flex h-7 max-w-60 items-center gap-1 rounded-md border border-line bg-accent-soft pl-2 text-xs"
        >
          <span className="text-dim">{text.filter[name]}</span>
          <span className="truncate font-medium">{value}</span>
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

function FilterForm({ filters, onChange }: FilterBarProps) {
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
              <FilterFields draft={draft} onChange={setDraft} />
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

function FilterFields({ draft, onChange }: { readonly draft: Filters; readonly onChange: (filters: Filters) => void }) {
  const user = useUser();
  const catalog = useQuery(catalogQuery);
  const choices: Readonly<Partial<Record<FilterName, readonly (readonly [string, string])[]>>> = {
    status: Object.entries(text.status),
    endpoint: endpointPaths.map((path) => [path, path]),
  };
  const shown = filterNames.filter((name) => isOperator(user) || !operatorFilters.has(name));
  return shown.map((name) => {
    const options = choices[name];
    const common = {
      value: draft[name] ?? "",
      onChange: (event: { readonly target: { readonly value: string } }) =>
        onChange({ ...draft, [name]: event.target.value }),
      className: "field",
    };
    return (
      <Field key={name} label={text.filter[name]}>
        {(named) =>
          options ? (
            <select {...named} {...common}>
              <option value="">{words.common.all}</option>
              {options.map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
          ) : (
            <>
              <input
                {...named}
                {...common}
                autoComplete="off"
                spellCheck={false}
                placeholder={name === "tag" ? text.tagHint : undefined}
                list={name === "model" ? "filter-models" : undefined}
              />
              {name === "model" && (
                <datalist id="filter-models">
                  {catalog.data?.map(({ id }) => (
                    <option key={id} value={id} />
                  ))}
                </datalist>
              )}
            </>
          )
        }
      </Field>
    );
  });
}

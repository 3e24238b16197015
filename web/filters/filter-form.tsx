import { Popover } from "@base-ui/react/popover";
import { type FormEvent, useState } from "react";
import { Button, buttonClass } from "../components/button.tsx";
import { isOperator, useUser } from "../session/session.ts";
import { words } from "../words/en.ts";
import { FilterFields } from "./filter-fields.tsx";
import { FilterWords } from "./filter-words.tsx";
import { type FilterName, type Filters, operatorFilters } from "./filters.ts";

const text = words.requests;

interface FilterFormProps {
  readonly filters: Filters;
  readonly onChange: (filters: Filters) => void;
  readonly names: readonly FilterName[];
}

/** A button with a form for all filters. */
export function FilterForm({ filters, onChange, names }: FilterFormProps) {
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
        <FilterWords />
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

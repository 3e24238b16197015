import { useQuery } from "@tanstack/react-query";
import { catalogQuery } from "../../api/catalog.ts";
import { fieldError } from "../../api/field-error.ts";
import { ListInput } from "../../components/list-input.tsx";
import { TextField } from "../../components/field.tsx";
import { classNames } from "../../components/class-names.ts";
import { words } from "../../words/en.ts";
import { endpoints, type KeyForm, readLimit } from "./key-form.ts";

const text = words.keys.form;

export interface KeyFieldsProps {
  readonly form: KeyForm;
  readonly change: (part: Partial<KeyForm>) => void;
  readonly error: unknown;
}

/** What a key may use, and from where. */
export function ScopeFields({ form, change, error }: KeyFieldsProps) {
  const catalog = useQuery(catalogQuery);
  const names = catalog.data?.flatMap(({ id, aliases }) => [id, ...aliases]) ?? [];
  return (
    <>
      <ListInput
        label={text.models}
        hint={text.modelsHint}
        error={fieldError(error, "models")}
        values={form.models}
        onChange={(models) => change({ models })}
        suggestions={names}
      />
      <EndpointField form={form} change={change} />
      <ListInput
        label={text.domains}
        hint={text.domainsHint}
        error={fieldError(error, "domains")}
        values={form.domains}
        onChange={(domains) => change({ domains })}
      />
      <ListInput
        label={text.ipRanges}
        hint={text.ipRangesHint}
        error={fieldError(error, "ip_ranges")}
        values={form.ipRanges}
        onChange={(ipRanges) => change({ ipRanges })}
      />
    </>
  );
}

function EndpointField({ form, change }: Omit<KeyFieldsProps, "error">) {
  return (
    <fieldset>
      <legend className="mb-1 text-xs font-medium text-dim">{text.endpoints}</legend>
      <div className="flex flex-wrap gap-1.5">
        {endpoints.map((endpoint) => {
          const isChosen = form.endpoints.includes(endpoint);
          const others = form.endpoints.filter((each) => each !== endpoint);
          return (
            <button
              key={endpoint}
              type="button"
              aria-pressed={isChosen}
              onClick={() => change({ endpoints: isChosen ? others : [...others, endpoint] })}
              className={classNames(
                "rounded-md border px-2 py-0.5 text-xs pointer-coarse:py-2",
                isChosen ? "border-accent bg-accent-soft text-accent" : "border-line text-dim hover:bg-hover",
              )}
            >
              {endpoint}
            </button>
          );
        })}
      </div>
      <p className="mt-1 text-xs text-faint">{text.endpointsHint}</p>
    </fieldset>
  );
}

/** How much a key may use. */
export function LimitFields({ form, change, error }: KeyFieldsProps) {
  const limits = [
    ["requestsPerMinute", text.requestsPerMinute, "limits.requests_per_minute"],
    ["tokensPerMinute", text.tokensPerMinute, "limits.tokens_per_minute"],
    ["concurrent", text.concurrent, "limits.concurrent_requests"],
  ] as const;
  return (
    <div className="grid gap-3 sm:grid-cols-3">
      {limits.map(([name, label, parameter]) => (
        <TextField
          key={name}
          label={label}
          inputMode="numeric"
          placeholder={text.noLimit}
          value={form[name]}
          error={readLimit(form[name]) === undefined ? text.number : fieldError(error, parameter)}
          onChange={(event) => change({ [name]: event.target.value })}
        />
      ))}
    </div>
  );
}

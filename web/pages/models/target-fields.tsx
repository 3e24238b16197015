import type { Provider } from "../../api/types.ts";
import { Button, IconButton } from "../../components/button.tsx";
import { Icon } from "../../components/icon.tsx";
import { words } from "../../words/en.ts";
import type { TargetForm } from "./model-form.ts";

const text = words.models.modelForm;

interface TargetFieldsProps {
  readonly targets: readonly TargetForm[];
  readonly providers: readonly Provider[];
  readonly error: string | null;
  readonly onChange: (targets: readonly TargetForm[]) => void;
}

/** The targets of a model, in the order in which they are asked. */
export function TargetFields({ targets, providers, error, onChange }: TargetFieldsProps) {
  const change = (place: number, part: Partial<TargetForm>) => {
    onChange(targets.map((target, index) => (index === place ? { ...target, ...part } : target)));
  };
  const ids = [...new Set([...providers.map(({ id }) => id), ...targets.map(({ provider }) => provider)])];
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 text-xs font-medium text-dim">{text.targets}</legend>
      {targets.map((target, place) => (
        <div key={place} className="flex items-center gap-2">
          <select
            aria-label={text.provider(place + 1)}
            value={target.provider}
            onChange={(event) => change(place, { provider: event.target.value })}
            className="field w-32 min-w-0 pr-1 sm:w-40"
          >
            {ids.map((id) => (
              <option key={id}>{id}</option>
            ))}
          </select>
          <input
            aria-label={text.upstream(place + 1)}
            placeholder={text.upstreamHint}
            value={target.model}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => change(place, { model: event.target.value })}
            className="field min-w-0 flex-1"
          />
          {targets.length > 1 && (
            <>
              <input
                aria-label={text.weight(place + 1)}
                title={text.weight(place + 1)}
                inputMode="numeric"
                value={target.weight}
                onChange={(event) => change(place, { weight: event.target.value })}
                className="field numeric w-12 text-right"
              />
              <IconButton
                label={text.removeTarget(place + 1)}
                onClick={() => onChange(targets.filter((_, index) => index !== place))}
              >
                <Icon name="close" className="size-3.5" />
              </IconButton>
            </>
          )}
        </div>
      ))}
      <p className={error === null ? "text-xs text-faint" : "text-xs text-bad"}>{error ?? text.targetsHint}</p>
      <div>
        <Button
          small
          disabled={targets.length >= 16}
          onClick={() => onChange([...targets, { provider: ids[0] ?? "", model: "", weight: "1" }])}
        >
          <Icon name="plus" className="size-3.5" />
          {text.addTarget}
        </Button>
      </div>
    </fieldset>
  );
}

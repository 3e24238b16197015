import { Button, IconButton } from "../../components/button.tsx";
import { Icon } from "../../components/icon.tsx";
import { words } from "../../words/en.ts";
import type { MemberForm } from "./route-form.ts";

const text = words.models.routeForm;

interface MemberFieldsProps {
  readonly members: readonly MemberForm[];
  /** The names that a policy may have. */
  readonly names: readonly string[];
  readonly error: string | null;
  readonly onChange: (members: readonly MemberForm[]) => void;
}

/** The models of a policy, in their order. */
export function MemberFields({ members, names, error, onChange }: MemberFieldsProps) {
  const change = (place: number, part: Partial<MemberForm>) => {
    onChange(members.map((member, index) => (index === place ? { ...member, ...part } : member)));
  };
  const move = (place: number) => {
    const [moved] = members.slice(place, place + 1);
    if (moved) onChange(members.toSpliced(place, 1).toSpliced(place - 1, 0, moved));
  };
  const unused = names.find((name) => !members.some(({ model }) => model === name)) ?? "";
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 text-xs font-medium text-dim">{text.members}</legend>
      {members.map((member, place) => (
        <div key={place} className="flex items-center gap-1.5">
          <select
            aria-label={text.member(place + 1)}
            value={member.model}
            onChange={(event) => change(place, { model: event.target.value })}
            className="field min-w-0 flex-1 pr-1"
          >
            {[...new Set([member.model, ...names])].map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
          <input
            aria-label={text.weight(place + 1)}
            title={text.weight(place + 1)}
            inputMode="numeric"
            value={member.weight}
            onChange={(event) => change(place, { weight: event.target.value })}
            className="field numeric w-12 text-right"
          />
          <IconButton label={text.up(place + 1)} disabled={place === 0} onClick={() => move(place)}>
            <Icon name="up" className="size-3.5" />
          </IconButton>
          <IconButton
            label={text.removeMember(place + 1)}
            disabled={members.length === 1}
            onClick={() => onChange(members.toSpliced(place, 1))}
          >
            <Icon name="close" className="size-3.5" />
          </IconButton>
        </div>
      ))}
      {error !== null && <p className="text-xs text-bad">{error}</p>}
      <div>
        <Button small disabled={unused === ""} onClick={() => onChange([...members, { model: unused, weight: "1" }])}>
          <Icon name="plus" className="size-3.5" />
          {text.addMember}
        </Button>
      </div>
    </fieldset>
  );
}

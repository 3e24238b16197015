import type { ReactNode } from "react";
import { Check } from "../../../components/check.tsx";
import { AreaField, SelectField, TextField } from "../../../components/field.tsx";
import { words } from "../../../words/en.ts";
import { efforts } from "./conversation.ts";
import {
  type Ability,
  exampleSchema,
  type Lacking,
  readMaxTokens,
  readObject,
  readTemperature,
  type SettingsForm,
} from "./settings-form.ts";
import { ToolsField } from "./tools-field.tsx";

const text = words.explorer.settings;

interface SettingsPanelProps {
  readonly form: SettingsForm;
  readonly onChange: (form: SettingsForm) => void;
  readonly lacking: Lacking;
}

/** What is asked for beside the messages, as far as all chosen models have it. */
export function SettingsPanel({ form, onChange, lacking }: SettingsPanelProps) {
  const change = (part: Partial<SettingsForm>) => onChange({ ...form, ...part });
  return (
    <div className="flex flex-col gap-4">
      <AreaField
        label={text.system}
        rows={3}
        value={form.system}
        onChange={(event) => change({ system: event.target.value })}
      />
      <IfAble ability="reasoning" lacking={lacking}>
        <SelectField
          label={text.effort}
          value={form.effort ?? ""}
          onChange={(event) => change({ effort: efforts.find((name) => name === event.target.value) ?? null })}
        >
          <option value="">{text.efforts[""]}</option>
          {efforts.map((name) => (
            <option key={name} value={name}>
              {text.efforts[name]}
            </option>
          ))}
        </SelectField>
      </IfAble>
      <div className="grid grid-cols-2 gap-3">
        <TextField
          label={text.maxTokens}
          inputMode="numeric"
          placeholder={text.unset}
          error={readMaxTokens(form.maxTokens) === undefined ? text.wholeNumber : null}
          value={form.maxTokens}
          onChange={(event) => change({ maxTokens: event.target.value })}
        />
        <TextField
          label={text.temperature}
          inputMode="decimal"
          placeholder={text.unset}
          error={readTemperature(form.temperature) === undefined ? text.number : null}
          value={form.temperature}
          onChange={(event) => change({ temperature: event.target.value })}
        />
      </div>
      <IfAble ability="json_schema" lacking={lacking}>
        <div className="flex flex-col gap-1">
          <Check checked={form.schema !== null} onChange={(isOn) => change({ schema: isOn ? exampleSchema : null })}>
            {text.schema}
          </Check>
          {form.schema !== null && (
            <AreaField
              label={text.schemaText}
              rows={8}
              code
              spellCheck={false}
              error={readObject(form.schema) === null ? text.badJson : null}
              value={form.schema}
              onChange={(event) => change({ schema: event.target.value })}
            />
          )}
        </div>
      </IfAble>
      <IfAble ability="tools" lacking={lacking}>
        <ToolsField tools={form.tools} onChange={(tools) => change({ tools })} />
      </IfAble>
    </div>
  );
}

interface IfAbleProps {
  readonly ability: Ability;
  readonly lacking: Lacking;
  readonly children: ReactNode;
}

/** A field, or which model is without what it is for. */
function IfAble({ ability, lacking, children }: IfAbleProps) {
  const model = lacking[ability];
  if (model === undefined) return children;
  return <p className="text-xs text-faint">{text.lacks(model, text.abilities[ability])}</p>;
}

import { type FormEvent, useState } from "react";
import { answerOf, api } from "../../api/client.ts";
import { fieldError } from "../../api/field-error.ts";
import type { ModelDefinition, Provider } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { Check } from "../../components/check.tsx";
import { Dialog, DialogActions } from "../../components/dialog.tsx";
import { ErrorNote } from "../../components/error-note.tsx";
import { SelectField, TextField } from "../../components/field.tsx";
import { ListInput } from "../../components/list-input.tsx";
import { words } from "../../words/en.ts";
import { capabilities, fieldsOf, formOf, type ModelForm, strategies } from "./model-form.ts";
import { TargetFields } from "./target-fields.tsx";

const text = words.models.modelForm;

interface ModelDialogProps {
  /** Null adds a new one. */
  readonly model: ModelDefinition | null;
  readonly providers: readonly Provider[];
  readonly onClose: () => void;
  readonly onSaved: (id: string) => Promise<void>;
}

/** The form of a model. */
export function ModelDialog({ model, providers, onClose, onSaved }: ModelDialogProps) {
  const [form, setForm] = useState(() => formOf(model, providers.at(-1)?.id ?? ""));
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const change = (part: Partial<ModelForm>) => setForm((before) => ({ ...before, ...part }));
  const save = async () => {
    setBusy(true);
    setError(null);
    const fields = fieldsOf(form, model);
    try {
      const { id } =
        model === null
          ? await answerOf(api.POST("/api/admin/models", { body: { id: form.id.trim(), ...fields } }))
          : await answerOf(api.PATCH("/api/admin/models/{id}", { params: { path: { id: model.id } }, body: fields }));
      await onSaved(id);
      onClose();
    } catch (caught) {
      setError(caught);
      setBusy(false);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void save();
  };
  const field = (
    name: "id" | "contextLength" | "maxOutputTokens" | "inputPrice" | "outputPrice",
    label: string,
    parameter: string,
    hint?: string,
  ) => (
    <TextField
      label={label}
      hint={hint}
      error={fieldError(error, parameter)}
      value={form[name]}
      onChange={(event) => change({ [name]: event.target.value })}
    />
  );
  const isReady = form.targets.every(({ provider, model: name }) => provider !== "" && name.trim() !== "");
  return (
    <Dialog open onClose={onClose} title={model === null ? text.addTitle : text.editTitle(model.id)}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        {model === null && field("id", text.id, "id", text.idHint)}
        <TargetFields
          targets={form.targets}
          providers={providers}
          error={fieldError(error, "targets")}
          onChange={(targets) => change({ targets })}
        />
        {form.targets.length > 1 && (
          <SelectField
            label={text.strategy}
            error={fieldError(error, "strategy")}
            value={form.strategy}
            onChange={(event) => change({ strategy: strategies.find((name) => name === event.target.value) ?? "" })}
          >
            <option value="">{text.inOrder}</option>
            {strategies.map((name) => (
              <option key={name} value={name}>
                {words.models.strategies[name]}
              </option>
            ))}
          </SelectField>
        )}
        <div className="grid gap-3 sm:grid-cols-2">
          {field("inputPrice", text.inputPrice, "prices.input", text.priceHint)}
          {field("outputPrice", text.outputPrice, "prices.output")}
        </div>
        <details className="rounded-md border border-line" open={model !== null || undefined}>
          <summary className="cursor-pointer px-3 py-2 text-sm font-medium">{text.more}</summary>
          <div className="flex flex-col gap-3 border-t border-line p-3">
            <div className="grid gap-3 sm:grid-cols-2">
              {field("contextLength", text.contextLength, "context_length")}
              {field("maxOutputTokens", text.maxOutput, "max_output_tokens")}
            </div>
            <ListInput
              label={text.endpoints}
              hint={text.endpointsHint}
              error={fieldError(error, "endpoints")}
              values={form.endpoints}
              onChange={(endpoints) => change({ endpoints })}
            />
            <fieldset>
              <legend className="mb-1 text-xs font-medium text-dim">{words.models.capabilities}</legend>
              <div className="grid grid-cols-2 gap-x-3 sm:grid-cols-3">
                {capabilities.map((name) => (
                  <Check
                    key={name}
                    checked={form.capabilities.includes(name)}
                    onChange={(isOn) => {
                      const others = form.capabilities.filter((each) => each !== name);
                      change({ capabilities: isOn ? [...others, name] : others });
                    }}
                  >
                    {name}
                  </Check>
                ))}
              </div>
            </fieldset>
          </div>
        </details>
        {error !== null && <ErrorNote error={error} />}
        <DialogActions>
          <Button onClick={onClose}>{words.common.cancel}</Button>
          <Button
            type="submit"
            look="primary"
            busy={busy}
            disabled={!isReady || (model === null && form.id.trim() === "")}
          >
            {model === null ? text.add : words.common.save}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

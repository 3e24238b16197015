import { type FormEvent, useState } from "react";
import { answerOf, api } from "../../api/client.ts";
import { fieldError } from "../../api/field-error.ts";
import type { Provider } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { Check } from "../../components/check.tsx";
import { Dialog, DialogActions } from "../../components/dialog.tsx";
import { ErrorNote } from "../../components/error-note.tsx";
import { TextField } from "../../components/field.tsx";
import { words } from "../../words/en.ts";
import { dialects, fieldsOf, formOf, type ProviderForm } from "./provider-form.ts";

const text = words.models.providerForm;

interface ProviderDialogProps {
  /** Null adds a new one. */
  readonly provider: Provider | null;
  readonly onClose: () => void;
  readonly onSaved: (id: string) => Promise<void>;
}

/** The form of a provider. */
export function ProviderDialog({ provider, onClose, onSaved }: ProviderDialogProps) {
  const [form, setForm] = useState(() => formOf(provider));
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const change = (part: Partial<ProviderForm>) => setForm((before) => ({ ...before, ...part }));
  const save = async () => {
    setBusy(true);
    setError(null);
    const fields = fieldsOf(form, provider);
    try {
      const { id } =
        provider === null
          ? await answerOf(api.POST("/api/admin/providers", { body: { id: form.id.trim(), ...fields } }))
          : await answerOf(
              api.PATCH("/api/admin/providers/{id}", { params: { path: { id: provider.id } }, body: fields }),
            );
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
    name: "id" | "baseUrl" | "maxInFlight" | "firstByteMs" | "totalMs",
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
  const toggle = (dialect: string, isOn: boolean) => {
    change({ dialects: isOn ? [...form.dialects, dialect] : form.dialects.filter((each) => each !== dialect) });
  };
  const hasKey = provider?.has_api_key === true;
  const dialectError = fieldError(error, "dialect", "dialects");
  return (
    <Dialog
      open
      onClose={onClose}
      title={provider === null ? text.addTitle : text.editTitle(provider.id)}
      description={provider === null ? text.addMore : undefined}
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        {provider === null && field("id", text.id, "id", text.idHint)}
        <fieldset>
          <legend className="mb-1 text-xs font-medium text-dim">{text.dialects}</legend>
          <div className="grid grid-cols-2 gap-x-3 sm:grid-cols-3">
            {dialects.map((dialect) => (
              <Check key={dialect} checked={form.dialects.includes(dialect)} onChange={(isOn) => toggle(dialect, isOn)}>
                {dialect}
              </Check>
            ))}
          </div>
          <p className={dialectError === null ? "text-xs text-faint" : "text-xs text-bad"}>
            {dialectError ?? text.dialectsHint}
          </p>
        </fieldset>
        {field("baseUrl", text.baseUrl, "base_url", text.baseUrlHint)}
        <TextField
          label={text.apiKey}
          hint={hasKey ? text.keepKey(provider.api_key_hint ?? "…") : text.apiKeyHint}
          type="password"
          autoComplete="new-password"
          error={fieldError(error, "api_key", "api_keys")}
          value={form.apiKey}
          onChange={(event) => change({ apiKey: event.target.value })}
        />
        {hasKey && form.apiKey === "" && (
          <Check checked={form.dropsKey} onChange={(dropsKey) => change({ dropsKey })}>
            {text.dropKey}
          </Check>
        )}
        <details className="rounded-md border border-line">
          <summary className="cursor-pointer px-3 py-2 text-sm font-medium">{text.more}</summary>
          <div className="grid gap-3 border-t border-line p-3 sm:grid-cols-3">
            {field("maxInFlight", text.maxInFlight, "max_in_flight", text.maxInFlightHint)}
            {field("firstByteMs", text.firstByte, "timeouts.first_byte_ms")}
            {field("totalMs", text.total, "timeouts.total_ms")}
          </div>
        </details>
        {error !== null && <ErrorNote error={error} />}
        <DialogActions>
          <Button onClick={onClose}>{words.common.cancel}</Button>
          <Button
            type="submit"
            look="primary"
            busy={busy}
            disabled={form.dialects.length === 0 || (provider === null && form.id.trim() === "")}
          >
            {provider === null ? text.add : words.common.save}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

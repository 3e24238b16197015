import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { answerOf, api } from "../../api/client.ts";
import { fieldError } from "../../api/field-error.ts";
import type { SearchBackend } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { Check } from "../../components/check.tsx";
import { Dialog, DialogActions } from "../../components/dialog.tsx";
import { ErrorNote } from "../../components/error-note.tsx";
import { SelectField, TextField } from "../../components/field.tsx";
import { notify } from "../../components/toast.tsx";
import { words } from "../../words/en.ts";
import { type BackendForm, changeOf, formOf } from "./backend-form.ts";
import { searchProviders } from "./providers.ts";

const text = words.backends.form;

interface BackendDialogProps {
  /** Null adds a new one. */
  readonly backend: SearchBackend | null;
  readonly onClose: () => void;
}

/** The form of a search backend. */
export function BackendDialog({ backend, onClose }: BackendDialogProps) {
  const queries = useQueryClient();
  const [form, setForm] = useState(() => formOf(backend));
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const change = (part: Partial<BackendForm>) => setForm((before) => ({ ...before, ...part }));
  const save = async () => {
    setBusy(true);
    setError(null);
    const settings = changeOf(form, backend !== null);
    try {
      if (backend === null) {
        const body = { id: form.id.trim(), ...settings };
        await answerOf(api.POST("/api/admin/search-backends", { body }));
      } else {
        const params = { path: { id: backend.id } };
        await answerOf(api.PATCH("/api/admin/search-backends/{id}", { params, body: settings }));
      }
      await queries.invalidateQueries({ queryKey: ["search-backends"] });
      notify(words.backends.saved(form.name || form.id));
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
    name: Exclude<keyof BackendForm, "allowFallback">,
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
  const keyHint = backend?.has_api_key === true ? text.keepKey(backend.api_key_hint ?? "…") : text.apiKeyHint;
  return (
    <Dialog
      open
      onClose={onClose}
      title={backend === null ? words.backends.addTitle : words.backends.editTitle(backend.name ?? backend.id)}
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        <div className="grid gap-3 sm:grid-cols-2">
          <SelectField
            label={text.provider}
            error={fieldError(error, "provider")}
            value={form.provider}
            onChange={(event) => change({ provider: event.target.value })}
          >
            {searchProviders.map((provider) => (
              <option key={provider}>{provider}</option>
            ))}
          </SelectField>
          {backend === null ? field("id", text.id, "id", text.idHint) : field("name", text.name, "name", text.nameHint)}
        </div>
        <TextField
          label={text.apiKey}
          hint={keyHint}
          type="password"
          autoComplete="new-password"
          error={fieldError(error, "api_key")}
          value={form.apiKey}
          onChange={(event) => change({ apiKey: event.target.value })}
        />
        {field("price", text.price, "search_price", text.priceHint)}
        <details className="rounded-md border border-line">
          <summary className="cursor-pointer px-3 py-2 text-sm font-medium">{text.more}</summary>
          <div className="flex flex-col gap-3 border-t border-line p-3">
            {backend === null && field("name", text.name, "name", text.nameHint)}
            {field("baseUrl", text.baseUrl, "base_url", text.baseUrlHint)}
            <div className="grid gap-3 sm:grid-cols-2">
              {field("maxResults", text.maxResults, "max_results")}
              {field("timeoutMs", text.timeout, "timeout_ms")}
            </div>
            <Check checked={form.allowFallback} onChange={(allowFallback) => change({ allowFallback })}>
              {text.fallback}
            </Check>
          </div>
        </details>
        {error !== null && <ErrorNote error={error} />}
        <DialogActions>
          <Button onClick={onClose}>{words.common.cancel}</Button>
          <Button type="submit" look="primary" busy={busy} disabled={backend === null && form.id.trim() === ""}>
            {backend === null ? words.backends.add : words.common.save}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

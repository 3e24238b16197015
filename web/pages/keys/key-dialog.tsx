import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { accountsQuery } from "../../api/accounts.ts";
import { answerOf, api } from "../../api/client.ts";
import { fieldError } from "../../api/field-error.ts";
import type { ApiKey, IssuedKey } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { Check } from "../../components/check.tsx";
import { Dialog, DialogActions } from "../../components/dialog.tsx";
import { ErrorNote } from "../../components/error-note.tsx";
import { SelectField, TextField } from "../../components/field.tsx";
import { notify } from "../../components/toast.tsx";
import { exactTime } from "../../format/time.ts";
import { readMoney } from "../../format/money.ts";
import { words } from "../../words/en.ts";
import { BudgetFields } from "./budget-fields.tsx";
import { emptyForm, formOf, isComplete, type KeyForm, settingsOf } from "./key-form.ts";
import { LimitFields, ScopeFields } from "./key-fields.tsx";

const text = words.keys.form;

interface KeyDialogProps {
  /** The key to change; null makes a new one. */
  readonly apiKey: ApiKey | null;
  readonly onClose: () => void;
  readonly onIssued: (key: IssuedKey) => void;
}

/** The form of a key. */
export function KeyDialog({ apiKey, onClose, onIssued }: KeyDialogProps) {
  const queries = useQueryClient();
  const accounts = useQuery(accountsQuery);
  const [form, setForm] = useState<KeyForm>(apiKey === null ? emptyForm : formOf(apiKey));
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const change = (part: Partial<KeyForm>) => setForm((before) => ({ ...before, ...part }));

  const save = async () => {
    setBusy(true);
    setError(null);
    try {
      if (apiKey === null) onIssued(await createKey(form));
      else {
        const params = { path: { id: apiKey.id } };
        await answerOf(api.PATCH("/api/admin/keys/{id}", { params, body: settingsOf(form, Date.now()) }));
        notify(words.keys.saved(form.name));
        onClose();
      }
      await queries.invalidateQueries({ queryKey: ["keys"] });
    } catch (caught) {
      setError(caught);
      setBusy(false);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isComplete(form)) void save();
  };
  const title = apiKey === null ? words.keys.createTitle : words.keys.editTitle(apiKey.name);
  const expiries = Object.entries(text.expiry);
  return (
    <Dialog open onClose={onClose} title={title}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label={text.name}
          hint={text.nameHint}
          error={fieldError(error, "name")}
          autoFocus
          required
          maxLength={100}
          value={form.name}
          onChange={(event) => change({ name: event.target.value })}
        />
        <div className="grid gap-3 sm:grid-cols-2">
          <SelectField
            label={text.account}
            disabled={apiKey !== null}
            error={fieldError(error, "account")}
            value={form.account}
            onChange={(event) => change({ account: event.target.value })}
          >
            {!accounts.data?.some(({ id }) => id === form.account) && <option>{form.account}</option>}
            {accounts.data?.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </SelectField>
          <SelectField
            label={text.expires}
            error={fieldError(error, "expires_at")}
            value={form.expiry}
            onChange={(event) => change({ expiry: event.target.value as KeyForm["expiry"] })}
          >
            {apiKey?.expires_at && <option value="keep">{text.keepExpiry(exactTime(apiKey.expires_at))}</option>}
            {expiries.map(([value, name]) => (
              <option key={value} value={value === "never" && apiKey?.expires_at === null ? "keep" : value}>
                {name}
              </option>
            ))}
          </SelectField>
        </div>
        {apiKey === null && <BudgetFields form={form} change={change} error={error} />}
        <details className="group rounded-md border border-line" open={apiKey !== null}>
          <summary className="cursor-pointer px-3 py-2 text-sm font-medium">{text.more}</summary>
          <div className="flex flex-col gap-4 border-t border-line p-3">
            <ScopeFields form={form} change={change} error={error} />
            <LimitFields form={form} change={change} error={error} />
            <Check checked={form.admin} onChange={(admin) => change({ admin })}>
              {text.admin}
            </Check>
          </div>
        </details>
        {error !== null && <ErrorNote error={error} />}
        <DialogActions>
          <Button onClick={onClose}>{words.common.cancel}</Button>
          <Button type="submit" look="primary" busy={busy} disabled={!isComplete(form)}>
            {apiKey === null ? words.keys.create : words.common.save}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

/** Makes the key, then its budget if it has one. */
async function createKey(form: KeyForm): Promise<IssuedKey> {
  const body = { ...settingsOf(form, Date.now()), account: form.account };
  const issued = await answerOf(api.POST("/api/admin/keys", { body }));
  const amount = readMoney(form.budget);
  if (amount !== null) {
    const budget = { key: issued.id, amount_microusd: amount, per: form.period };
    await answerOf(api.POST("/api/admin/budgets", { body: budget })).catch(async (error: unknown) => {
      // A key that was to have a budget is not left in use without it.
      await api.PATCH("/api/admin/keys/{id}", { params: { path: { id: issued.id } }, body: { disabled: true } });
      throw error;
    });
  }
  return issued;
}

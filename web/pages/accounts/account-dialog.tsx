import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { answerOf, api } from "../../api/client.ts";
import { fieldError } from "../../api/field-error.ts";
import type { Account } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { Dialog, DialogActions } from "../../components/dialog.tsx";
import { ErrorNote } from "../../components/error-note.tsx";
import { SelectField, TextField } from "../../components/field.tsx";
import { words } from "../../words/en.ts";

const text = words.accounts;

/** The form of a new account. */
export function AccountDialog({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient();
  const [id, setId] = useState("");
  const [name, setName] = useState("");
  const [mode, setMode] = useState<Account["mode"]>("unlimited");
  const [markup, setMarkup] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const save = async () => {
    setBusy(true);
    setError(null);
    const body = {
      id: id.trim(),
      mode,
      ...(name.trim() !== "" && { name: name.trim() }),
      ...(markup.trim() !== "" && { markup_percent: Number(markup) }),
    };
    try {
      await answerOf(api.POST("/api/admin/accounts", { body }));
      await queries.invalidateQueries({ queryKey: ["accounts"] });
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
  return (
    <Dialog open onClose={onClose} title={text.createTitle}>
      <form onSubmit={submit} className="flex flex-col gap-3">
        <TextField
          label={text.id}
          hint={text.idHint}
          error={fieldError(error, "id")}
          required
          autoFocus
          value={id}
          onChange={(event) => setId(event.target.value)}
        />
        <TextField
          label={text.name}
          error={fieldError(error, "name")}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <div className="grid grid-cols-2 gap-3">
          <SelectField
            label={text.modeLabel}
            value={mode}
            onChange={(event) => setMode(event.target.value as Account["mode"])}
          >
            {Object.entries(text.mode).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </SelectField>
          <TextField
            label={text.markup}
            hint={text.markupHint}
            error={fieldError(error, "markup_percent")}
            inputMode="decimal"
            placeholder="0"
            value={markup}
            onChange={(event) => setMarkup(event.target.value)}
          />
        </div>
        {error !== null && <ErrorNote error={error} />}
        <DialogActions>
          <Button onClick={onClose}>{words.common.cancel}</Button>
          <Button type="submit" look="primary" busy={busy} disabled={id.trim() === ""}>
            {text.create}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

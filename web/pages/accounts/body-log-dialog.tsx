import { type FormEvent, useState } from "react";
import { answerOf, api } from "../../api/client.ts";
import { fieldError } from "../../api/field-error.ts";
import type { BodyLog } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { Check } from "../../components/check.tsx";
import { Dialog, DialogActions } from "../../components/dialog.tsx";
import { ErrorNote } from "../../components/error-note.tsx";
import { TextField } from "../../components/field.tsx";
import { ListInput } from "../../components/list-input.tsx";
import { notify } from "../../components/toast.tsx";
import { words } from "../../words/en.ts";

const text = words.bodies;

type Pattern = BodyLog["redact"]["patterns"][number];

interface BodyLogDialogProps {
  readonly settings: BodyLog;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

/** The form of whether an account's bodies are kept, for how long, and what is taken out of them. */
export function BodyLogDialog({ settings, onClose, onSaved }: BodyLogDialogProps) {
  const [enabled, setEnabled] = useState(settings.enabled);
  const [redact, setRedact] = useState(settings.redact);
  const [retention, setRetention] = useState(settings.retention);
  const [maxBody, setMaxBody] = useState(String(settings.max_body_bytes));
  const [maxAll, setMaxAll] = useState(String(settings.max_bytes));
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const save = async () => {
    setBusy(true);
    setError(null);
    const sizes = { max_body_bytes: Number(maxBody), max_bytes: Number(maxAll) };
    try {
      await answerOf(
        api.PATCH("/api/admin/accounts/{id}/log-bodies", {
          params: { path: { id: settings.account } },
          body: { enabled, redact, retention: retention.trim(), ...sizes },
        }),
      );
      onSaved();
      notify(text.saved);
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
  const choose = (name: Pattern, isChosen: boolean) => {
    const patterns = redact.patterns.filter((each) => each !== name);
    setRedact({ ...redact, patterns: isChosen ? [...patterns, name] : patterns });
  };
  return (
    <Dialog open onClose={onClose} title={text.dialogTitle} description={text.dialogMore}>
      <form onSubmit={submit} className="flex flex-col gap-3">
        <Check checked={enabled} onChange={setEnabled}>
          {text.enable}
        </Check>
        <TextField
          label={text.retention}
          hint={text.retentionHint}
          error={fieldError(error, "retention")}
          required
          value={retention}
          onChange={(event) => setRetention(event.target.value)}
        />
        <fieldset>
          <legend className="text-xs font-medium text-dim">{text.patterns}</legend>
          <div className="mt-1 flex flex-wrap gap-x-4">
            {(Object.keys(text.patternNames) as Pattern[]).map((name) => (
              <Check
                key={name}
                checked={redact.patterns.includes(name)}
                onChange={(isChosen) => choose(name, isChosen)}
              >
                {text.patternNames[name]}
              </Check>
            ))}
          </div>
        </fieldset>
        <ListInput
          label={text.fields}
          hint={text.fieldsHint}
          error={fieldError(error, "redact.fields")}
          values={redact.fields}
          onChange={(fields) => setRedact({ ...redact, fields: [...fields] })}
        />
        <ListInput
          label={text.paths}
          hint={text.pathsHint}
          error={fieldError(error, "redact.paths")}
          values={redact.paths}
          onChange={(paths) => setRedact({ ...redact, paths: [...paths] })}
        />
        <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
          <TextField
            label={text.maxBody}
            error={fieldError(error, "max_body_bytes")}
            inputMode="numeric"
            value={maxBody}
            onChange={(event) => setMaxBody(event.target.value)}
          />
          <TextField
            label={text.maxAll}
            hint={text.maxAllHint}
            error={fieldError(error, "max_bytes")}
            inputMode="numeric"
            value={maxAll}
            onChange={(event) => setMaxAll(event.target.value)}
          />
        </div>
        {error !== null && <ErrorNote error={error} />}
        <DialogActions>
          <Button onClick={onClose}>{words.common.cancel}</Button>
          <Button type="submit" look="primary" busy={busy}>
            {words.common.save}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

import { type FormEvent, useState } from "react";
import { answerOf, api } from "../../api/client.ts";
import type { Schemas } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { Check } from "../../components/check.tsx";
import { Dialog, DialogActions } from "../../components/dialog.tsx";
import { ErrorNote } from "../../components/error-note.tsx";
import { Field, SelectField, TextField } from "../../components/field.tsx";
import { words } from "../../words/en.ts";
import { DifferenceTable } from "./difference-table.tsx";
import { ReplayView } from "./replay-view.tsx";

const text = words.prices;

const formats = ["litellm", "models.dev", "tollgate"] as const;
type Format = (typeof formats)[number];

interface ImportDialogProps {
  readonly onClose: () => void;
  readonly onImported: (version: number) => Promise<void>;
}

/** Puts the prices of a file in force. */
export function ImportDialog({ onClose, onImported }: ImportDialogProps) {
  const [format, setFormat] = useState<Format>("litellm");
  const [file, setFile] = useState<File | null>(null);
  const [skip, setSkip] = useState(false);
  const [note, setNote] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [preview, setPreview] = useState<Schemas["PricePreview"] | null>(null);
  const look = async (chosen: File) => {
    setBusy(true);
    setError(null);
    try {
      const query = { format, ...(skip && { skip_invalid: "true" as const }) };
      const body = await readJson(chosen);
      setPreview(await answerOf(api.POST("/api/admin/prices/preview", { params: { query }, body })));
    } catch (caught) {
      setError(caught);
    } finally {
      setBusy(false);
    }
  };
  const save = async (chosen: File) => {
    setBusy(true);
    setError(null);
    try {
      const query = {
        format,
        ...(skip && { skip_invalid: "true" as const }),
        ...(note.trim() !== "" && { note: note.trim() }),
      };
      const body = await readJson(chosen);
      const { version } = await answerOf(api.POST("/api/admin/prices/import", { params: { query }, body }));
      await onImported(version);
      onClose();
    } catch (caught) {
      setError(caught);
      setBusy(false);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (file) void save(file);
  };
  return (
    <Dialog open onClose={onClose} title={text.importTitle} description={text.importMore}>
      <form onSubmit={submit} className="flex flex-col gap-3">
        <SelectField label={text.format} value={format} onChange={(event) => setFormat(event.target.value as Format)}>
          {formats.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </SelectField>
        <Field label={text.file}>
          {(named) => (
            <input
              {...named}
              type="file"
              accept=".json,application/json"
              onChange={(event) => {
                setFile(event.target.files?.[0] ?? null);
                setPreview(null);
              }}
            />
          )}
        </Field>
        <TextField
          label={text.note}
          hint={text.noteHint}
          maxLength={500}
          value={note}
          onChange={(event) => setNote(event.target.value)}
        />
        <Check checked={skip} onChange={setSkip}>
          {text.skip}
        </Check>
        {preview && <PreviewView preview={preview} />}
        {error !== null && <ErrorNote error={error} />}
        <DialogActions>
          <Button onClick={onClose}>{words.common.cancel}</Button>
          <Button busy={busy} disabled={file === null} onClick={() => file && void look(file)}>
            {text.preview}
          </Button>
          <Button type="submit" look="primary" busy={busy} disabled={file === null}>
            {text.import}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function PreviewView({ preview }: { readonly preview: Schemas["PricePreview"] }) {
  const { differences, differences_count: all } = preview;
  return (
    <div aria-live="polite" className="flex flex-col gap-3">
      <p className="text-sm text-dim">{text.previewed(preview.models, preview.left_out_count)}</p>
      <ReplayView replay={preview.replay} />
      <div className="max-h-64 overflow-y-auto" tabIndex={0} role="region" aria-label={text.preview}>
        <DifferenceTable differences={differences} />
      </div>
      {differences.length < all && <p className="text-xs text-faint">{text.firstOf(differences.length, all)}</p>}
    </div>
  );
}

async function readJson(file: File): Promise<Record<string, unknown>> {
  try {
    return JSON.parse(await file.text()) as Record<string, unknown>;
  } catch {
    throw new Error(text.wrongFile);
  }
}

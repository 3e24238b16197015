import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { ask } from "../../api/transport.ts";
import { Button } from "../../components/button.tsx";
import { Dialog, DialogActions } from "../../components/dialog.tsx";
import { ErrorNote } from "../../components/error-note.tsx";
import { TextField } from "../../components/field.tsx";
import { words } from "../../words/en.ts";
import { passkeysQuery } from "./console-users.ts";

const text = words.settings;

export interface NamedPasskey {
  readonly id: string;
  readonly name: string;
}

/** Asks for the name of a passkey, by which its user tells it from others. */
export function RenamePasskey({ passkey, onClose }: { readonly passkey: NamedPasskey; readonly onClose: () => void }) {
  const queries = useQueryClient();
  const [name, setName] = useState(passkey.name);
  const [error, setError] = useState<unknown>(null);
  const save = async () => {
    setError(null);
    try {
      await ask("POST", "/console/auth/passkey/update-passkey", { id: passkey.id, name: name.trim() });
      await queries.invalidateQueries({ queryKey: passkeysQuery.queryKey });
      onClose();
    } catch (caught) {
      setError(caught);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void save();
  };
  return (
    <Dialog open onClose={onClose} title={text.renameTitle}>
      <form onSubmit={submit}>
        <TextField
          label={text.name}
          required
          autoFocus
          maxLength={200}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        {error !== null && <ErrorNote error={error} className="mt-3" />}
        <DialogActions>
          <Button onClick={onClose}>{words.common.cancel}</Button>
          <Button type="submit" look="primary" disabled={name.trim() === ""}>
            {words.common.save}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { accountsQuery } from "../../api/accounts.ts";
import { fieldError } from "../../api/field-error.ts";
import { ask } from "../../api/transport.ts";
import { Button } from "../../components/button.tsx";
import { Dialog, DialogActions } from "../../components/dialog.tsx";
import { ErrorNote } from "../../components/error-note.tsx";
import { SelectField, TextField } from "../../components/field.tsx";
import type { Role } from "../../session/session.ts";
import { words } from "../../words/en.ts";

const text = words.settings;

interface InviteDialogProps {
  readonly onClose: () => void;
  readonly onLink: (link: string) => void;
}

/** Asks who is invited and as what, and gets the link to send. */
export function InviteDialog({ onClose, onLink }: InviteDialogProps) {
  const accounts = useQuery(accountsQuery);
  const [email, setEmail] = useState("");
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("member");
  const [account, setAccount] = useState("default");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const invite = async () => {
    setBusy(true);
    setError(null);
    const body = { email: email.trim(), name: name.trim(), role, account_id: role === "member" ? account : null };
    try {
      const { link } = await ask<{ readonly link: string }>("POST", "/console/users", body);
      onClose();
      onLink(link);
    } catch (caught) {
      setError(caught);
      setBusy(false);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void invite();
  };
  return (
    <Dialog open onClose={onClose} title={text.inviteTitle} description={text.inviteMore}>
      <form onSubmit={submit} className="flex flex-col gap-3">
        <TextField
          label={text.name}
          required
          autoFocus
          error={fieldError(error, "name")}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <TextField
          label={text.email}
          type="email"
          required
          error={fieldError(error, "email")}
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
        <SelectField
          label={text.role}
          hint={text.rolesMore}
          value={role}
          onChange={(event) => setRole(event.target.value as Role)}
        >
          {Object.entries(words.roles).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </SelectField>
        {role === "member" && (
          <SelectField label={text.account} value={account} onChange={(event) => setAccount(event.target.value)}>
            {accounts.data?.map(({ id, name: label }) => (
              <option key={id} value={id}>
                {label}
              </option>
            ))}
          </SelectField>
        )}
        {error !== null && <ErrorNote error={error} />}
        <DialogActions>
          <Button onClick={onClose}>{words.common.cancel}</Button>
          <Button type="submit" look="primary" busy={busy}>
            {text.makeLink}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

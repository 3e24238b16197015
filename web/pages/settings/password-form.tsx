import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { fieldError } from "../../api/field-error.ts";
import { ask } from "../../api/transport.ts";
import { Button } from "../../components/button.tsx";
import { ErrorNote } from "../../components/error-note.tsx";
import { TextField } from "../../components/field.tsx";
import { Section } from "../../components/page.tsx";
import { notify } from "../../components/toast.tsx";
import { words } from "../../words/en.ts";
import { sessionQuery } from "../../session/session.ts";
import { sessionsQuery } from "./console-users.ts";

const text = words.settings;

/** Changes one's own password, which ends one's other sessions. */
export function PasswordForm() {
  const queries = useQueryClient();
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const save = async () => {
    setBusy(true);
    setError(null);
    try {
      await ask("POST", "/console/auth/change-password", { currentPassword: current, newPassword: next });
      setCurrent("");
      setNext("");
      notify(text.passwordChanged);
      // This browser has a new session.
      await queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
      await queries.invalidateQueries({ queryKey: sessionsQuery.queryKey });
    } catch (caught) {
      setError(caught);
    } finally {
      setBusy(false);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void save();
  };
  return (
    <Section title={text.password}>
      <form onSubmit={submit} className="flex max-w-sm flex-col gap-3 px-4 pb-6 sm:px-6">
        <TextField
          label={text.currentPassword}
          type="password"
          autoComplete="current-password"
          required
          error={fieldError(error, "currentPassword")}
          value={current}
          onChange={(event) => setCurrent(event.target.value)}
        />
        <TextField
          label={text.newPassword}
          type="password"
          autoComplete="new-password"
          required
          hint={words.signIn.passwordHint}
          error={fieldError(error, "newPassword")}
          value={next}
          onChange={(event) => setNext(event.target.value)}
        />
        {error !== null && <ErrorNote error={error} />}
        <Button type="submit" busy={busy} disabled={current === "" || next === ""}>
          {text.changePassword}
        </Button>
      </form>
    </Section>
  );
}

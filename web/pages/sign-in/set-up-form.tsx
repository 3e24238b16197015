import { type FormEvent, useState } from "react";
import { fieldError } from "../../api/field-error.ts";
import { ask } from "../../api/transport.ts";
import { Button } from "../../components/button.tsx";
import { ErrorNote } from "../../components/error-note.tsx";
import { TextField } from "../../components/field.tsx";
import { words } from "../../words/en.ts";

const text = words.signIn;
const minPasswordLength = 12;

/** What a link is for, and whom it concerns as far as it says. */
export interface ConsoleLink {
  readonly kind: "set_up" | "invitation" | "reset";
  readonly email: string | null;
  readonly name: string | null;
}

/** Asks for what the link does not say, and a password; then the user has signed in. */
export function SetUpForm({ token, link }: { readonly token: string; readonly link: ConsoleLink }) {
  const [name, setName] = useState(link.name ?? "");
  const [email, setEmail] = useState(link.email ?? "");
  const [password, setPassword] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const isReset = link.kind === "reset";
  const isShort = password !== "" && password.length < minPasswordLength;
  const submit = async () => {
    setBusy(true);
    setError(null);
    const who = isReset ? {} : { name: name.trim(), ...(link.email === null && { email: email.trim() }) };
    try {
      await ask("POST", "/console/auth-setup", { token, password, ...who });
      location.replace("/console");
    } catch (caught) {
      setError(caught);
      setBusy(false);
    }
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (password.length >= minPasswordLength) void submit();
  };
  return (
    <form onSubmit={onSubmit} className="flex flex-col gap-3">
      {!isReset && (
        <TextField
          label={text.name}
          autoComplete="name"
          required
          autoFocus
          error={fieldError(error, "name")}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      )}
      <TextField
        label={text.email}
        type="email"
        autoComplete="username"
        required
        readOnly={link.email !== null}
        error={fieldError(error, "email")}
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <TextField
        label={text.newPassword}
        type="password"
        autoComplete="new-password"
        required
        hint={text.passwordHint}
        error={isShort ? text.tooShort : fieldError(error, "password")}
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      {error !== null && <ErrorNote error={error} />}
      <Button type="submit" look="primary" busy={busy}>
        {text.link[link.kind].submit}
      </Button>
    </form>
  );
}

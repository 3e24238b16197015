import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { ask } from "../../api/transport.ts";
import { Button } from "../../components/button.tsx";
import { ErrorNote } from "../../components/error-note.tsx";
import { TextField } from "../../components/field.tsx";
import { words } from "../../words/en.ts";
import { nextPage } from "./next-page.ts";
import { canUsePasskeys, signInWithPasskey } from "./passkey.ts";
import { SignInFrame } from "./sign-in-frame.tsx";
import { signInMethodsQuery, startOidc } from "./sign-in-methods.ts";

const text = words.signIn;

export function SignInPage() {
  const search = useSearch({ strict: false });
  const next = nextPage(search["next"], location.origin);
  const methods = useQuery(signInMethodsQuery);
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(search["error"] === undefined ? null : new Error(text.oidcFailed));
  const run = async (sign: () => Promise<unknown>) => {
    setBusy(true);
    setError(null);
    try {
      await sign();
      location.assign(next);
    } catch (caught) {
      setError(caught);
      setBusy(false);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(() => ask("POST", "/console/auth/sign-in/email", { email: email.trim(), password }));
  };
  return (
    <SignInFrame title={text.title}>
      <form onSubmit={submit} className="flex flex-col gap-3">
        <TextField
          label={text.email}
          type="email"
          autoComplete="username webauthn"
          required
          autoFocus
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
        <TextField
          label={text.password}
          type="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        {error !== null && <ErrorNote error={error} />}
        <Button type="submit" look="primary" busy={busy}>
          {text.submit}
        </Button>
        {canUsePasskeys() && (
          <Button disabled={busy} onClick={() => void run(signInWithPasskey)}>
            {text.passkey}
          </Button>
        )}
        {methods.data?.oidc && (
          <Button disabled={busy} onClick={() => void startOidc(next).catch(setError)}>
            {text.oidc(methods.data.oidc.name)}
          </Button>
        )}
      </form>
      <p className="mt-4 text-xs text-faint">
        {text.lost} <code className="font-mono">{text.lostCommand}</code>
      </p>
    </SignInFrame>
  );
}

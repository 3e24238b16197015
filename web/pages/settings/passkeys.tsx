import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ask } from "../../api/transport.ts";
import { Button } from "../../components/button.tsx";
import { ErrorNote } from "../../components/error-note.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Section } from "../../components/page.tsx";
import { notify } from "../../components/toast.tsx";
import { useUser } from "../../session/session.ts";
import { words } from "../../words/en.ts";
import { addPasskey, canUsePasskeys } from "../sign-in/passkey.ts";
import { passkeysQuery } from "./console-users.ts";
import { type NamedPasskey, RenamePasskey } from "./rename-passkey.tsx";

const text = words.settings;

/** One's own passkeys. */
export function Passkeys() {
  const user = useUser();
  const query = useQuery(passkeysQuery);
  const queries = useQueryClient();
  const [error, setError] = useState<unknown>(null);
  const [renamed, setRenamed] = useState<NamedPasskey | null>(null);
  const run = async (act: () => Promise<unknown>, said: string | null) => {
    setError(null);
    try {
      await act();
      await queries.invalidateQueries({ queryKey: passkeysQuery.queryKey });
      if (said !== null) notify(said);
    } catch (caught) {
      setError(caught);
    }
  };
  const add = canUsePasskeys() && (
    <Button small onClick={() => void run(() => addPasskey(user.email), text.passkeyAdded)}>
      {text.addPasskey}
    </Button>
  );
  return (
    <Section title={text.passkeys} actions={add}>
      <div className="px-4 pb-4 text-sm sm:px-6">
        <p className="text-dim">{text.passkeysMore}</p>
        {error !== null && <ErrorNote error={error} className="mt-2" />}
        <Loaded query={query} rows={1}>
          {(passkeys) =>
            passkeys.length === 0 ? (
              <p className="text-faint">{text.noPasskeys}</p>
            ) : (
              <ul>
                {passkeys.map(({ id, name }) => (
                  <li key={id} className="flex min-h-9 items-center gap-3">
                    <span className="flex-1 truncate">{name ?? text.passkeyName}</span>
                    <Button small onClick={() => setRenamed({ id, name: name ?? "" })}>
                      {text.renamePasskey}
                    </Button>
                    <Button
                      small
                      look="danger"
                      onClick={() => void run(() => ask("POST", "/console/auth/passkey/delete-passkey", { id }), null)}
                    >
                      {text.remove}
                    </Button>
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
      </div>
      {renamed && <RenamePasskey passkey={renamed} onClose={() => setRenamed(null)} />}
    </Section>
  );
}

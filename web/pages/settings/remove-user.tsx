import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ask } from "../../api/transport.ts";
import { Check } from "../../components/check.tsx";
import { Confirm } from "../../components/confirm.tsx";
import { ErrorNote } from "../../components/error-note.tsx";
import { notify } from "../../components/toast.tsx";
import type { User } from "../../session/session.ts";
import { words } from "../../words/en.ts";
import { adminKeysQuery } from "./console-users.ts";

const text = words.settings;

interface RemoveUserProps {
  readonly user: User;
  readonly onClose: () => void;
  readonly onRemoved: () => Promise<unknown>;
}

/** Asks before a user is removed, and what becomes of the admin keys that the user was shown. */
export function RemoveUser({ user, onClose, onRemoved }: RemoveUserProps) {
  const keys = useQuery(adminKeysQuery(user.id));
  const [disables, setDisables] = useState(true);
  return (
    <Confirm
      open
      onClose={onClose}
      title={text.removeTitle(user.name)}
      action={text.remove}
      act={async () => {
        const path = `/console/users/${encodeURIComponent(user.id)}?admin_keys=${disables ? "disable" : "keep"}`;
        await ask("DELETE", path);
        await onRemoved();
        notify(text.removed(user.name));
      }}
    >
      <p>{text.removeMore}</p>
      {keys.error && <ErrorNote error={keys.error} className="mt-3" />}
      {keys.data && keys.data.length > 0 && (
        <div className="mt-3 flex flex-col gap-2">
          <p>{text.adminKeysMore}</p>
          <ul className="max-h-40 overflow-y-auto rounded-md border border-line bg-sunken px-3 py-2" tabIndex={0}>
            {keys.data.map(({ id, name }) => (
              <li key={id} className="flex justify-between gap-4">
                <span className="truncate text-text">{name}</span>
                <code className="font-mono text-xs">{id}</code>
              </li>
            ))}
          </ul>
          <Check checked={disables} onChange={setDisables}>
            {text.disableKeys}
          </Check>
        </div>
      )}
    </Confirm>
  );
}

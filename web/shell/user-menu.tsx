import { Button } from "../components/button.tsx";
import { useSignOut, useUser } from "../session/session.ts";
import { words } from "../words/en.ts";

/** Who is signed in, and how to leave. */
export function UserMenu({ onHelp }: { readonly onHelp: () => void }) {
  const user = useUser();
  const signOut = useSignOut();
  return (
    <div className="border-t border-line p-2">
      <p className="truncate px-2.5 pt-1 text-sm" title={words.shell.user(user.email)}>
        {user.name}
      </p>
      <p className="truncate px-2.5 text-xs text-faint">{words.roles[user.role]}</p>
      <div className="mt-1 flex justify-between px-0.5">
        <Button small look="quiet" onClick={onHelp}>
          {words.shell.help}
        </Button>
        <Button small look="quiet" onClick={() => void signOut()}>
          {words.shell.signOut}
        </Button>
      </div>
    </div>
  );
}

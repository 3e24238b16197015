import { type ReactNode, useState } from "react";
import { words } from "../words/en.ts";
import { Button } from "./button.tsx";
import { Dialog, DialogActions } from "./dialog.tsx";
import { ErrorNote } from "./error-note.tsx";

interface ConfirmProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly children: ReactNode;
  /** What the button says. */
  readonly action: string;
  readonly act: () => Promise<unknown>;
}

/** Asks before something that cannot be taken back. It stays open with the error if that fails. */
export function Confirm({ open, onClose, title, children, action, act }: ConfirmProps) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const run = async () => {
    setBusy(true);
    setError(null);
    try {
      await act();
      onClose();
    } catch (caught) {
      setError(caught);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog open={open} onClose={onClose} title={title}>
      <div className="text-sm text-dim">{children}</div>
      {error !== null && <ErrorNote error={error} className="mt-3" />}
      <DialogActions>
        <Button onClick={onClose}>{words.common.cancel}</Button>
        <Button look="danger" busy={busy} onClick={() => void run()}>
          {action}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

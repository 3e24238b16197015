import { useState } from "react";
import { answerOf, api } from "../../api/client.ts";
import type { ApiKey, IssuedKey } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { Choice } from "../../components/choice.tsx";
import { Dialog, DialogActions } from "../../components/dialog.tsx";
import { ErrorNote } from "../../components/error-note.tsx";
import { words } from "../../words/en.ts";

const text = words.keys;

interface RotateDialogProps {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
  readonly onIssued: (key: IssuedKey) => void;
}

type Overlap = keyof typeof text.overlap;

const overlaps = Object.entries(text.overlap) as (readonly [Overlap, string])[];

/** Gives a key a new secret. The old one may stay valid while its users change over. */
export function RotateDialog({ apiKey, onClose, onIssued }: RotateDialogProps) {
  const [overlap, setOverlap] = useState<Overlap>("24h");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const rotate = async () => {
    setBusy(true);
    const params = { path: { id: apiKey.id } };
    const body = overlap === "" ? {} : { overlap };
    try {
      onIssued(await answerOf(api.POST("/api/admin/keys/{id}/rotate", { params, body })));
    } catch (caught) {
      setError(caught);
      setBusy(false);
    }
  };
  return (
    <Dialog open onClose={onClose} title={text.rotateTitle(apiKey.name)} description={text.rotateMore}>
      <Choice label={text.rotate} value={overlap} options={overlaps} onChange={setOverlap} />
      {error !== null && <ErrorNote error={error} className="mt-3" />}
      <DialogActions>
        <Button onClick={onClose}>{words.common.cancel}</Button>
        <Button look="primary" busy={busy} onClick={() => void rotate()}>
          {text.rotateAction}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

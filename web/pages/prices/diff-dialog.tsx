import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answerOf, api } from "../../api/client.ts";
import { Button } from "../../components/button.tsx";
import { Dialog, DialogActions } from "../../components/dialog.tsx";
import { ErrorNote } from "../../components/error-note.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { words } from "../../words/en.ts";
import { DifferenceTable } from "./difference-table.tsx";
import { ReplayView } from "./replay-view.tsx";

const text = words.prices;

interface DiffDialogProps {
  readonly from: number;
  readonly to: number;
  readonly onClose: () => void;
  /** Puts the version `to` in force; null if there is nothing to do. */
  readonly activate?: () => Promise<void>;
}

/** What differs between two versions, and what that would have meant for the last days; the second can be put in force. */
export function DiffDialog({ from, to, onClose, activate }: DiffDialogProps) {
  const query = useQuery({
    queryKey: ["price-diff", from, to],
    queryFn: () => answerOf(api.GET("/api/admin/prices/diff", { params: { query: { from, to } } })),
  });
  const replay = useQuery({
    queryKey: ["price-replay", from, to],
    queryFn: () => answerOf(api.GET("/api/admin/prices/replay", { params: { query: { from, to } } })),
  });
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const act = async (work: () => Promise<void>) => {
    setBusy(true);
    setError(null);
    try {
      await work();
      onClose();
    } catch (caught) {
      setError(caught);
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={activate ? text.activateTitle(to) : text.diffTitle(from, to)}
      description={activate ? text.activateMore : undefined}
      wide
    >
      <div className="flex flex-col gap-4">
        <Loaded query={replay} rows={2}>
          {(found) => <ReplayView replay={found} />}
        </Loaded>
        <Loaded query={query}>{({ differences }) => <DifferenceTable differences={differences} />}</Loaded>
        {error !== null && <ErrorNote error={error} />}
      </div>
      {activate && (
        <DialogActions>
          <Button onClick={onClose}>{words.common.cancel}</Button>
          <Button look="primary" busy={busy} onClick={() => void act(activate)}>
            {text.activate}
          </Button>
        </DialogActions>
      )}
    </Dialog>
  );
}

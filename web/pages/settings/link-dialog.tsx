import { Button } from "../../components/button.tsx";
import { CopyButton } from "../../components/copy.tsx";
import { Dialog, DialogActions } from "../../components/dialog.tsx";
import { words } from "../../words/en.ts";

const text = words.settings;

/** A link that was made, and what it is for. */
export interface MadeLink {
  readonly kind: "invitation" | "reset";
  readonly link: string;
}

/** A link that is shown once. */
export function LinkDialog({
  made: { kind, link },
  onClose,
}: {
  readonly made: MadeLink;
  readonly onClose: () => void;
}) {
  const more = kind === "reset" ? text.resetMore : text.linkMore;
  return (
    <Dialog open onClose={onClose} title={text.linkTitle} description={more}>
      <div className="flex items-center gap-2 rounded-md border border-line bg-sunken p-2 pl-3">
        <code className="min-w-0 flex-1 font-mono text-xs break-all" data-secret>
          {link}
        </code>
        <CopyButton text={link} />
      </div>
      <DialogActions>
        <Button look="primary" onClick={onClose}>
          {words.common.done}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

import { Button } from "../../components/button.tsx";
import { CopyButton } from "../../components/copy.tsx";
import { Dialog, DialogActions } from "../../components/dialog.tsx";
import { words } from "../../words/en.ts";

const text = words.settings;

/** A link that is shown once. */
export function LinkDialog({ link, onClose }: { readonly link: string; readonly onClose: () => void }) {
  return (
    <Dialog open onClose={onClose} title={text.linkTitle} description={text.linkMore}>
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

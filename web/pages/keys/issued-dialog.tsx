import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { catalogQuery } from "../../api/catalog.ts";
import { requestSnippets, sdkSnippets } from "../../api/snippets.ts";
import type { IssuedKey } from "../../api/types.ts";
import { Button, buttonClass } from "../../components/button.tsx";
import { Snippets } from "../../components/code.tsx";
import { CopyButton } from "../../components/copy.tsx";
import { Dialog, DialogActions } from "../../components/dialog.tsx";
import { handOver } from "../../session/explorer-key.ts";
import { useUser } from "../../session/session.ts";
import { sampleFor } from "../requests/endpoints.ts";
import { words } from "../../words/en.ts";

const text = words.keys;

interface IssuedDialogProps {
  readonly issued: IssuedKey;
  readonly onClose: () => void;
}

/** A new secret, this once, and how to use it. */
export function IssuedDialog({ issued, onClose }: IssuedDialogProps) {
  const user = useUser();
  const catalog = useQuery(catalogQuery);
  const chats = catalog.data?.filter(({ supported_endpoint_types: types }) => types.includes("chat")) ?? [];
  const allowed = issued.models?.find((name) => !name.endsWith("/*"));
  const model = allowed ?? chats.find(({ id }) => !id.includes("*"))?.id ?? "MODEL";
  return (
    <Dialog open onClose={onClose} title={text.issuedTitle} description={text.issuedMore} wide>
      <div className="flex items-center gap-2 rounded-md border border-line bg-sunken p-2 pl-3">
        <code className="min-w-0 flex-1 font-mono text-sm break-all" data-secret>
          {issued.key}
        </code>
        <CopyButton text={issued.key} label={text.copyKey} />
      </div>
      <h3 className="mt-5 mb-2 text-sm font-semibold">{text.snippets}</h3>
      <Snippets label={text.snippets} snippets={snippetsOf(issued, model)} />
      <DialogActions>
        <Link to="/explorer" className={buttonClass()} onClick={() => handOver(user.id, issued.key)}>
          {text.tryInExplorer}
        </Link>
        <Button look="primary" onClick={onClose}>
          {text.issuedDone}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

/** Code for what the key may call: chats through SDKs, else its first endpoint. */
function snippetsOf({ endpoints, key }: IssuedKey, model: string) {
  const snippets = sdkSnippets(model, key, location.origin).filter(
    ({ endpoint }) => endpoints === null || endpoints.includes(endpoint),
  );
  const sample = snippets.length === 0 ? sampleFor(endpoints?.[0] ?? "", model) : null;
  return sample ? requestSnippets(sample, key, location.origin) : snippets;
}

import { useState } from "react";
import { requestSnippets } from "../../api/snippets.ts";
import { Button } from "../../components/button.tsx";
import { Snippets } from "../../components/code.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Icon } from "../../components/icon.tsx";
import { words } from "../../words/en.ts";
import type { ServiceRequest } from "./call-service.ts";

const text = words.explorer;

/** A request that was made, as code with the same parameters and without the key. */
export function CodeButton({ request }: { readonly request: ServiceRequest }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button small look="quiet" onClick={() => setOpen(true)}>
        <Icon name="api" className="size-3" />
        {text.code}
      </Button>
      {isOpen && (
        <Dialog open onClose={() => setOpen(false)} title={text.codeTitle} description={text.codeMore} wide>
          <Snippets label={text.code} snippets={requestSnippets(request, text.keyInCode, location.origin)} />
        </Dialog>
      )}
    </>
  );
}

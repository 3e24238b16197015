import { Dialog as Base } from "@base-ui/react/dialog";
import type { ReactNode } from "react";
import { IconButton } from "../components/button.tsx";
import { Icon } from "../components/icon.tsx";
import { words } from "../words/en.ts";

interface SmallMenuProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** The navigation of a small screen, over the page. */
export function SmallMenu({ open, onClose, children }: SmallMenuProps) {
  return (
    <Base.Root open={open} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-veil" />
        <Base.Popup
          aria-label={words.shell.navigation}
          className="fixed inset-y-0 left-0 z-50 flex w-64 flex-col border-r border-line bg-raised shadow-pop outline-none"
        >
          <div className="flex h-12 items-center px-2">
            <span className="flex-1 pl-2.5 font-semibold tracking-tight">{words.product}</span>
            <Base.Close
              render={
                <IconButton label={words.common.close}>
                  <Icon name="close" />
                </IconButton>
              }
            />
          </div>
          <div className="flex min-h-0 flex-1 flex-col justify-between overflow-y-auto">{children}</div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

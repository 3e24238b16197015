import { Dialog as Base } from "@base-ui/react/dialog";
import type { ReactNode } from "react";
import { words } from "../words/en.ts";
import { IconButton } from "./button.tsx";
import { classNames } from "./class-names.ts";
import { Icon } from "./icon.tsx";

interface DialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly description?: ReactNode;
  readonly wide?: boolean;
  readonly children: ReactNode;
}

const veil =
  "fixed inset-0 z-40 bg-veil transition-opacity duration-100 data-ending-style:opacity-0 data-starting-style:opacity-0";

/** A dialog over the page. It keeps the focus, and gives it back. */
export function Dialog({ open, onClose, title, description, wide = false, children }: DialogProps) {
  return (
    <Base.Root open={open} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Base.Portal>
        <Base.Backdrop className={veil} />
        <Base.Popup
          className={classNames(
            "fixed z-50 flex max-h-[92dvh] w-full flex-col overflow-hidden rounded-t-lg border border-line bg-raised shadow-pop outline-none",
            "bottom-0 left-0 sm:top-[8vh] sm:bottom-auto sm:left-1/2 sm:max-h-[84vh] sm:-translate-x-1/2 sm:rounded-lg",
            "transition-[opacity,translate] duration-150 ease-out data-ending-style:opacity-0 data-starting-style:translate-y-2 data-starting-style:opacity-0",
            wide ? "sm:max-w-3xl" : "sm:max-w-lg",
          )}
        >
          <header className="flex items-start gap-2 border-b border-line py-2.5 pr-2 pl-4">
            <div className="min-w-0 flex-1">
              <Base.Title className="pt-0.5 text-base font-semibold">{title}</Base.Title>
              {description !== undefined && (
                <Base.Description className="text-sm text-dim">{description}</Base.Description>
              )}
            </div>
            <Base.Close
              render={
                <IconButton label={words.common.close}>
                  <Icon name="close" />
                </IconButton>
              }
            />
          </header>
          <div className="min-h-0 flex-1 overflow-y-auto p-4">{children}</div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

/** A sheet at the right of the page, over all of a small screen. */
export function Sheet({ open, onClose, title, children }: Omit<DialogProps, "description" | "wide">) {
  return (
    <Base.Root open={open} onOpenChange={(isOpen) => !isOpen && onClose()} modal={false} disablePointerDismissal>
      <Base.Portal>
        <Base.Popup
          className={classNames(
            "fixed inset-y-0 right-0 z-30 flex w-full flex-col border-l border-line bg-raised shadow-pop outline-none sm:max-w-[34rem]",
            "transition-[opacity,translate] duration-150 ease-out data-ending-style:opacity-0 data-starting-style:translate-x-4 data-starting-style:opacity-0",
          )}
        >
          <header className="flex h-12 shrink-0 items-center gap-2 border-b border-line pr-2 pl-4">
            <Base.Title className="min-w-0 flex-1 truncate text-base font-semibold">{title}</Base.Title>
            <Base.Close
              render={
                <IconButton label={words.common.close}>
                  <Icon name="close" />
                </IconButton>
              }
            />
          </header>
          <div className="min-h-0 flex-1 overflow-y-auto">{children}</div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

/** The buttons at the end of a dialog's form. */
export function DialogActions({ children }: { readonly children: ReactNode }) {
  return <footer className="mt-5 flex flex-wrap justify-end gap-2">{children}</footer>;
}

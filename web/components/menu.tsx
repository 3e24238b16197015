import { Menu as Base } from "@base-ui/react/menu";
import type { ReactNode } from "react";
import { IconButton } from "./button.tsx";
import { classNames } from "./class-names.ts";
import { Icon } from "./icon.tsx";

interface MenuItem {
  readonly label: string;
  readonly act: () => void;
  readonly danger?: boolean;
  readonly checked?: boolean;
  readonly disabled?: boolean;
}

interface MenuProps {
  readonly label: string;
  readonly items: readonly MenuItem[];
  /** The button; three dots unless told. */
  readonly trigger?: ReactNode;
  readonly triggerClass?: string;
}

/** A menu of actions, by mouse and by keyboard. */
export function Menu({ label, items, trigger, triggerClass }: MenuProps) {
  return (
    <Base.Root modal={false}>
      {trigger === undefined ? (
        <Base.Trigger
          render={
            <IconButton label={label}>
              <Icon name="more" />
            </IconButton>
          }
        />
      ) : (
        <Base.Trigger className={triggerClass} aria-label={label}>
          {trigger}
        </Base.Trigger>
      )}
      <Base.Portal>
        <Base.Positioner className="z-50 outline-none" sideOffset={4} align="end">
          <Base.Popup className="max-h-[70vh] min-w-44 overflow-y-auto rounded-md border border-line bg-raised p-1 text-sm shadow-pop outline-none">
            {items.map((item) => (
              <Base.Item
                key={item.label}
                onClick={item.act}
                disabled={item.disabled ?? false}
                {...(item.checked !== undefined && { role: "menuitemcheckbox", "aria-checked": item.checked })}
                closeOnClick={item.checked === undefined}
                className={classNames(
                  "flex min-h-8 cursor-default items-center gap-2 rounded-sm px-2 outline-none select-none data-highlighted:bg-hover data-disabled:opacity-50",
                  item.danger === true && "text-bad",
                )}
              >
                {item.checked !== undefined && (
                  <Icon name="check" className={classNames("size-3.5", !item.checked && "invisible")} />
                )}
                {item.label}
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

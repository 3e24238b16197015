import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useId, useState } from "react";
import { Dialog as Base } from "@base-ui/react/dialog";
import { classNames } from "../components/class-names.ts";
import { Icon } from "../components/icon.tsx";
import { words } from "../words/en.ts";
import { type Command, commandsFor } from "./commands.ts";
import type { Place } from "./places.ts";

interface PaletteProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly places: readonly Place[];
  readonly operator: boolean;
}

/** All that can be gone to or done, found by typing. */
export function Palette({ open, onClose, ...rest }: PaletteProps) {
  return (
    <Base.Root open={open} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-veil" />
        <Base.Popup
          aria-label={words.palette.label}
          className="fixed top-[12vh] left-1/2 z-50 w-[min(36rem,calc(100vw-1rem))] -translate-x-1/2 overflow-hidden rounded-lg border border-line bg-raised shadow-pop outline-none"
        >
          <PaletteList {...rest} onClose={onClose} />
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

function PaletteList({ onClose, places, operator }: Omit<PaletteProps, "open">) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const navigate = useNavigate();
  const id = useId();
  const commands = commandsFor(text, places, operator);
  const chosen = commands[Math.min(at, commands.length - 1)];
  const run = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    const { go } = command;
    if (typeof go === "function") go();
    else void navigate({ to: go.to, search: ({ range }) => ({ range, ...go.search }) });
  };
  const listen = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setAt((Math.min(at, commands.length - 1) + step + commands.length) % Math.max(1, commands.length));
    } else if (event.key === "Enter" && !event.nativeEvent.isComposing) run(chosen);
  };
  return (
    <>
      <input
        autoFocus
        role="combobox"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={chosen && `${id}-${chosen.name}`}
        aria-label={words.palette.label}
        placeholder={words.palette.placeholder}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={listen}
        className="h-12 w-full border-b border-line bg-transparent px-4 text-base outline-none"
      />
      <ul id={id} role="listbox" aria-label={words.palette.label} className="max-h-[50vh] overflow-y-auto p-1.5">
        {commands.map((command) => (
          <li
            key={command.name}
            id={`${id}-${command.name}`}
            role="option"
            aria-selected={command === chosen}
            onMouseMove={() => setAt(commands.indexOf(command))}
            onClick={() => run(command)}
            className={classNames(
              "flex min-h-9 items-center gap-2.5 rounded-md px-2.5 text-sm",
              command === chosen && "bg-hover",
            )}
          >
            <Icon name={command.icon} className="size-4 shrink-0 text-dim" />
            <span className="min-w-0 flex-1 truncate">{command.name}</span>
            {command.keys !== undefined && <kbd className="font-mono text-2xs text-dim">{command.keys}</kbd>}
          </li>
        ))}
      </ul>
      {commands.length === 0 && <p className="px-4 pb-4 text-sm text-dim">{words.palette.nothing}</p>}
    </>
  );
}

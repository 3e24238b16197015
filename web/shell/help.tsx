import { Dialog } from "../components/dialog.tsx";
import { words } from "../words/en.ts";
import type { Place } from "./places.ts";

interface HelpProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly places: readonly Place[];
}

/** The keys that can be pressed. */
export function Help({ open, onClose, places }: HelpProps) {
  const lines = [...words.help.keys, ...places.map(({ name, key }) => [`g ${key}`, words.help.goTo(name)] as const)];
  return (
    <Dialog open={open} onClose={onClose} title={words.help.title}>
      <dl className="grid grid-cols-[6rem_1fr] gap-y-1.5 text-sm">
        {lines.map(([keys, meaning]) => (
          <div key={keys} className="contents">
            <dt>
              <kbd className="rounded-sm border border-line bg-sunken px-1.5 py-0.5 font-mono text-xs">{keys}</kbd>
            </dt>
            <dd className="text-dim">{meaning}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

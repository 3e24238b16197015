import { useSyncExternalStore } from "react";
import { Icon } from "./icon.tsx";

interface Note {
  readonly id: number;
  readonly text: string;
}

let notes: readonly Note[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function set(next: readonly Note[]): void {
  notes = next;
  for (const listener of listeners) listener();
}

/** Says for a few seconds that something was done. Errors are shown in their place instead, and stay. */
export function notify(text: string): void {
  const note = { id: ++lastId, text };
  set([...notes.slice(-2), note]);
  setTimeout(() => set(notes.filter((each) => each !== note)), 4_000);
}

/** The notes, at the foot of the page. */
export function Notes() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => notes,
  );
  return (
    <div
      role="status"
      className="pointer-events-none fixed inset-x-0 bottom-4 z-60 flex flex-col items-center gap-2 px-4"
    >
      {shown.map(({ id, text }) => (
        <p
          key={id}
          className="flex max-w-full items-center gap-2 rounded-md border border-line bg-raised px-3 py-2 text-sm shadow-pop"
        >
          <Icon name="check" className="size-4 shrink-0 text-good" />
          <span className="truncate">{text}</span>
        </p>
      ))}
    </div>
  );
}

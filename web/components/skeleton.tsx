import { words } from "../words/en.ts";

/** Bars in place of rows that are not there yet. They show after a moment, so that a quick answer does not flicker. */
export function Skeleton({ rows = 8 }: { readonly rows?: number }) {
  return (
    <div className="after-a-moment flex flex-col" role="status" aria-label={words.common.loading}>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className="flex h-10 items-center gap-4 border-b border-line px-4">
          <span className="h-2.5 w-24 animate-[pulse_1.6s_infinite] rounded-sm bg-hover" />
          <span className="h-2.5 flex-1 animate-[pulse_1.6s_infinite] rounded-sm bg-hover" />
          <span className="h-2.5 w-16 animate-[pulse_1.6s_infinite] rounded-sm bg-hover" />
        </div>
      ))}
    </div>
  );
}

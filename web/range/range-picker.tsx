import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { Choice } from "../components/choice.tsx";
import { Button } from "../components/button.tsx";
import { Icon } from "../components/icon.tsx";
import { shortTime } from "../format/time.ts";
import { words } from "../words/en.ts";
import { presetNames, type Range, readRange, usualRange } from "./range.ts";

/** The range of the address. */
export function useRange(): Range {
  const { range } = useSearch({ strict: false });
  // The same until another one is chosen: a list that moved with the clock would lose its place.
  return useMemo(() => readRange(range), [range]);
}

/** Chooses the range of all pages. A part that was selected in a chart has a button to leave it. */
export function RangePicker() {
  const { range = usualRange } = useSearch({ strict: false });
  const navigate = useNavigate();
  const choose = (next: string) => void navigate({ to: ".", search: (search) => ({ ...search, range: next }) });
  const preset = presetNames.find((name) => name === range);
  const { from, to } = readRange(range);
  return (
    <div className="flex flex-wrap items-center gap-2">
      {preset === undefined && to !== null && (
        <Button small onClick={() => choose(usualRange)}>
          <span className="numeric">
            {shortTime(from)} – {shortTime(to)}
          </span>
          <Icon name="close" className="size-3" />
        </Button>
      )}
      <Choice
        label={words.range.label}
        value={preset ?? "custom"}
        options={presetNames.map((name) => [name, name])}
        onChange={choose}
      />
    </div>
  );
}

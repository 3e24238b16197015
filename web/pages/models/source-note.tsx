import { Icon } from "../../components/icon.tsx";
import { words } from "../../words/en.ts";

const text = words.models;

interface SourceNoteProps {
  readonly source: "config" | "storage";
  readonly line: number | null;
}

/** Where an entry is set: here, or in the configuration file and at which line. */
export function SourceNote({ source, line }: SourceNoteProps) {
  if (source === "storage") return <span>{text.fromStorage}</span>;
  return (
    <span className="inline-flex items-center gap-1" title={words.common.lockedByConfig}>
      <Icon name="lock" className="size-3" />
      {line === null ? text.fromConfig : text.atLine(line)}
    </span>
  );
}

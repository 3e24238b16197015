import { useState } from "react";
import { classNames } from "./class-names.ts";
import { CopyButton } from "./copy.tsx";

/** Code to copy. Long lines scroll. */
export function Code({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <div className="relative overflow-hidden rounded-md border border-line bg-sunken">
      <div className="absolute top-1.5 right-1.5">
        <CopyButton text={text} />
      </div>
      <pre tabIndex={0} aria-label={label} className="overflow-x-auto p-3 pt-9 font-mono text-xs leading-5">
        {text}
      </pre>
    </div>
  );
}

interface Snippet {
  readonly name: string;
  readonly text: string;
}

/** The same in several languages. */
export function Snippets({ snippets, label }: { readonly snippets: readonly Snippet[]; readonly label: string }) {
  const [name, setName] = useState(snippets[0]?.name);
  const shown = snippets.find((snippet) => snippet.name === name) ?? snippets[0];
  return (
    <div>
      <div role="group" aria-label={label} className="mb-1.5 flex flex-wrap gap-1">
        {snippets.map((snippet) => (
          <button
            key={snippet.name}
            type="button"
            aria-pressed={snippet === shown}
            onClick={() => setName(snippet.name)}
            className={classNames(
              "rounded-md px-2 py-1 text-xs font-medium",
              snippet === shown ? "bg-hover text-ink" : "text-dim hover:text-ink",
            )}
          >
            {snippet.name}
          </button>
        ))}
      </div>
      {shown && <Code text={shown.text} label={shown.name} />}
    </div>
  );
}

/** A value as indented JSON. */
export function Json({ value, label }: { readonly value: unknown; readonly label: string }) {
  return <Code text={JSON.stringify(value, null, 2)} label={label} />;
}

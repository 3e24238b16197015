import { useEffect, useState } from "react";
import { words } from "../words/en.ts";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";

/** Copies, and says for two seconds that it has. */
function useCopy(text: string): readonly [copied: boolean, copy: () => void] {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = () => void copyToClipboard(text).then(setCopied);
  return [copied, copy];
}

/** Whether it has been copied. Pages without TLS have no clipboard but the one of a selection. */
async function copyToClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    (document.querySelector("[role=dialog]") ?? document.body).append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

export function CopyButton({ text, label = words.common.copy }: { readonly text: string; readonly label?: string }) {
  const [copied, copy] = useCopy(text);
  return (
    <Button small onClick={copy} aria-live="polite">
      <Icon name={copied ? "check" : "copy"} className="size-3.5" />
      {copied ? words.common.copied : label}
    </Button>
  );
}

/** An id or another short text that is copied by a click. */
export function CopyText({ text, shown = text }: { readonly text: string; readonly shown?: string }) {
  const [copied, copy] = useCopy(text);
  return (
    <button
      type="button"
      onClick={copy}
      title={words.common.copyThis}
      className="inline-flex max-w-full items-center gap-1 rounded-sm font-mono text-xs text-dim hover:text-ink"
    >
      <span className="truncate">{shown}</span>
      <Icon name={copied ? "check" : "copy"} className="size-3 shrink-0 opacity-70" />
    </button>
  );
}

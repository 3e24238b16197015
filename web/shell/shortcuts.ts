import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import type { Place } from "./places.ts";

/** How long `g` waits for the letter of a page, in milliseconds. */
const patienceMs = 1_200;

interface Shortcuts {
  readonly places: readonly Place[];
  readonly openPalette: () => void;
  readonly openHelp: () => void;
}

/** Listens for `g o` and its like, `?`, `/` and Ctrl or Cmd with K, unless something is being typed. */
export function useShortcuts({ places, openPalette, openHelp }: Shortcuts): void {
  const navigate = useNavigate();
  useEffect(() => {
    let goneSince = 0;
    const listen = (event: KeyboardEvent) => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        return openPalette();
      }
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
      if (event.key === "?") return openHelp();
      if (event.key === "g") return void (goneSince = Date.now());
      if (event.key === "/") return focusSearch(event);
      const place = places.find(({ key }) => key === event.key);
      const follows = Date.now() - goneSince < patienceMs;
      goneSince = 0;
      if (!place || !follows) return;
      event.preventDefault();
      void navigate({ to: place.to, search: (search) => ({ range: search.range }) });
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, [places, openPalette, openHelp, navigate]);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches("input, textarea, select"));
}

function focusSearch(event: KeyboardEvent): void {
  const field = document.querySelector<HTMLElement>("main input[type=search]");
  if (!field) return;
  event.preventDefault();
  field.focus();
}

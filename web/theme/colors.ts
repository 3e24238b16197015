import { useSyncExternalStore } from "react";

/** The colour behind a name, as a canvas takes it: what the browser makes of it in the theme that is shown. */
export function readColor(name: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

let version = 0;

function subscribe(listener: () => void): () => void {
  const change = () => {
    version++;
    listener();
  };
  const system = matchMedia("(prefers-color-scheme: dark)");
  const observer = new MutationObserver(change);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  system.addEventListener("change", change);
  return () => {
    observer.disconnect();
    system.removeEventListener("change", change);
  };
}

/** A number that is another one after each change of the theme, for what is painted by hand. */
export function useThemeVersion(): number {
  return useSyncExternalStore(subscribe, () => version);
}

import { useSyncExternalStore } from "react";

const query = matchMedia("(max-width: 639px)");

function subscribe(listener: () => void): () => void {
  query.addEventListener("change", listener);
  return () => query.removeEventListener("change", listener);
}

/** Whether the screen is as small as a phone's. */
export function useSmallScreen(): boolean {
  return useSyncExternalStore(subscribe, () => query.matches);
}

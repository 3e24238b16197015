import { useSyncExternalStore } from "react";

/** A screen of some width, as a hook that follows it. */
function screenHook(query: string): () => boolean {
  const media = matchMedia(query);
  const subscribe = (listener: () => void) => {
    media.addEventListener("change", listener);
    return () => media.removeEventListener("change", listener);
  };
  return () => useSyncExternalStore(subscribe, () => media.matches);
}

/** Whether the screen is as small as a phone's. */
export const useSmallScreen = screenHook("(max-width: 639px)");

/** Whether there is room for a panel beside the content. */
export const useWideScreen = screenHook("(min-width: 1024px)");

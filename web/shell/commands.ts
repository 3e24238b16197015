import type { IconName } from "../components/icon.tsx";
import { chooseTheme, themes } from "../theme/theme.ts";
import { words } from "../words/en.ts";
import type { Place, PlacePath } from "./places.ts";
import type { Search } from "./search.ts";

/** Something that the palette goes to or does. */
export interface Command {
  readonly name: string;
  readonly icon: IconName;
  readonly keys?: string;
  readonly go: { readonly to: PlacePath; readonly search?: Search } | (() => void);
}

const requestId = /^(req_|resp_|chatcmpl-|msg_)\S+$/;

/** The commands that a text finds, the best first. */
export function commandsFor(text: string, places: readonly Place[], operator: boolean): readonly Command[] {
  const typed = text.trim();
  const found = all(places, operator).filter(({ name }) => matches(name, typed));
  if (!requestId.test(typed)) return found;
  const open = {
    name: words.palette.openRequest(typed),
    icon: "requests",
    go: { to: "/requests", search: { id: typed } },
  } as const;
  return [open, ...found];
}

function all(places: readonly Place[], operator: boolean): readonly Command[] {
  const { palette } = words;
  const made: readonly Command[] = [
    { name: palette.newKey, icon: "plus", go: { to: "/keys", search: { new: "1" } } },
    { name: palette.newBackend, icon: "plus", go: { to: "/search-backends", search: { new: "1" } } },
    { name: palette.newProvider, icon: "plus", go: { to: "/models", search: { new: "1" } } },
    { name: palette.newAccount, icon: "plus", go: { to: "/accounts", search: { new: "1" } } },
  ];
  return [
    ...places.map(({ to, name, icon, key }): Command => ({ name, icon, keys: `g ${key}`, go: { to } })),
    ...(operator ? made : []),
    { name: palette.failed, icon: "warning", go: { to: "/requests", search: { status: "failed" } } },
    ...themes.map((theme): Command => ({ name: palette.theme(theme), icon: "settings", go: () => chooseTheme(theme) })),
  ];
}

/** Whether the letters of a text stand in a name in this order. */
function matches(name: string, text: string): boolean {
  const letters = name.toLowerCase();
  let place = 0;
  for (const letter of text.toLowerCase().replaceAll(" ", "")) {
    place = letters.indexOf(letter, place) + 1;
    if (place === 0) return false;
  }
  return true;
}

import { Outlet } from "@tanstack/react-router";
import { Suspense, useCallback, useMemo, useState } from "react";
import { IconButton } from "../components/button.tsx";
import { Icon } from "../components/icon.tsx";
import { onDemand } from "../components/later.ts";
import { Notes } from "../components/toast.tsx";
import { isOperator, useUser } from "../session/session.ts";
import { words } from "../words/en.ts";
import { Navigation } from "./navigation.tsx";
import type { Overlay } from "./overlays.tsx";
import { placesOf } from "./places.ts";
import { useShortcuts } from "./shortcuts.ts";
import { UserMenu } from "./user-menu.tsx";

const Overlays = onDemand(async () => (await import("./overlays.tsx")).Overlays);

/** What surrounds all pages: the navigation, the palette, the help. */
export function Shell() {
  const user = useUser();
  const places = useMemo(() => placesOf(user), [user]);
  const [overlay, setOverlay] = useState<Overlay>(null);
  const [wasOpened, setOpened] = useState(false);
  // They stay, so that each can leave as it came.
  if (overlay !== null && !wasOpened) setOpened(true);
  const openPalette = useCallback(() => setOverlay("palette"), []);
  const openHelp = useCallback(() => setOverlay("help"), []);
  const close = useCallback(() => setOverlay(null), []);
  useShortcuts({ places, openPalette, openHelp });
  return (
    <div className="flex h-dvh flex-col md:flex-row">
      <a href="#main" className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-raised focus:p-2">
        {words.shell.skip}
      </a>
      <header className="flex h-12 shrink-0 items-center gap-1 border-b border-line px-2 md:hidden">
        <IconButton label={words.shell.openMenu} onClick={() => setOverlay("menu")}>
          <Icon name="menu" />
        </IconButton>
        <span className="flex-1 font-semibold tracking-tight">{words.product}</span>
        <IconButton label={words.palette.label} onClick={openPalette}>
          <Icon name="search" />
        </IconButton>
      </header>
      <aside className="hidden w-52 shrink-0 flex-col border-r border-line bg-sunken md:flex">
        <div className="flex h-12 items-center px-4.5 font-semibold tracking-tight">{words.product}</div>
        <PaletteButton onOpen={openPalette} />
        <div className="min-h-0 flex-1 overflow-y-auto">
          <Navigation places={places} />
        </div>
        <UserMenu onHelp={openHelp} />
      </aside>
      <main id="main" className="relative min-h-0 min-w-0 flex-1 overflow-y-auto">
        <Outlet />
      </main>
      <Suspense>
        {wasOpened && (
          <Overlays overlay={overlay} onClose={close} onHelp={openHelp} places={places} operator={isOperator(user)} />
        )}
      </Suspense>
      <Notes />
    </div>
  );
}

function PaletteButton({ onOpen }: { readonly onOpen: () => void }) {
  return (
    <button
      type="button"
      onClick={onOpen}
      className="mx-2 flex h-8 items-center gap-2.5 rounded-md border border-line bg-surface px-2.5 text-sm text-dim hover:text-ink"
    >
      <Icon name="search" className="size-3.5" />
      <span className="flex-1 text-left">{words.shell.find}</span>
      <kbd className="font-mono text-2xs text-faint">{words.palette.keys}</kbd>
    </button>
  );
}

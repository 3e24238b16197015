import { Outlet } from "@tanstack/react-router";
import { useCallback, useMemo, useState } from "react";
import { Button, IconButton } from "../components/button.tsx";
import { Icon } from "../components/icon.tsx";
import { Notes } from "../components/toast.tsx";
import { isOperator, useSignOut, useUser } from "../session/session.ts";
import { words } from "../words/en.ts";
import { Help } from "./help.tsx";
import { Navigation } from "./navigation.tsx";
import { Palette } from "./palette.tsx";
import { placesOf } from "./places.ts";
import { useShortcuts } from "./shortcuts.ts";
import { SmallMenu } from "./small-menu.tsx";

type Overlay = "palette" | "help" | "menu" | null;

/** What surrounds all pages: the navigation, the palette, the help. */
export function Shell() {
  const user = useUser();
  const places = useMemo(() => placesOf(user), [user]);
  const [overlay, setOverlay] = useState<Overlay>(null);
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
      <SmallMenu open={overlay === "menu"} onClose={close}>
        <Navigation places={places} onGo={close} />
        <UserMenu onHelp={openHelp} />
      </SmallMenu>
      <Palette open={overlay === "palette"} onClose={close} places={places} operator={isOperator(user)} />
      <Help open={overlay === "help"} onClose={close} places={places} />
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

function UserMenu({ onHelp }: { readonly onHelp: () => void }) {
  const user = useUser();
  const signOut = useSignOut();
  return (
    <div className="border-t border-line p-2">
      <p className="truncate px-2.5 pt-1 text-sm" title={words.shell.user(user.email)}>
        {user.name}
      </p>
      <p className="truncate px-2.5 text-xs text-faint">{words.roles[user.role]}</p>
      <div className="mt-1 flex justify-between px-0.5">
        <Button small look="quiet" onClick={onHelp}>
          {words.shell.help}
        </Button>
        <Button small look="quiet" onClick={() => void signOut()}>
          {words.shell.signOut}
        </Button>
      </div>
    </div>
  );
}

import { Help } from "./help.tsx";
import { Navigation } from "./navigation.tsx";
import { Palette } from "./palette.tsx";
import type { Place } from "./places.ts";
import { SmallMenu } from "./small-menu.tsx";
import { UserMenu } from "./user-menu.tsx";

export type Overlay = "palette" | "help" | "menu" | null;

interface OverlaysProps {
  readonly overlay: Overlay;
  readonly onClose: () => void;
  readonly onHelp: () => void;
  readonly places: readonly Place[];
  readonly operator: boolean;
}

/** What opens over a page from anywhere: the navigation of a small screen, the palette, the help. */
export function Overlays({ overlay, onClose, onHelp, places, operator }: OverlaysProps) {
  return (
    <>
      <SmallMenu open={overlay === "menu"} onClose={onClose}>
        <Navigation places={places} onGo={onClose} />
        <UserMenu onHelp={onHelp} />
      </SmallMenu>
      <Palette open={overlay === "palette"} onClose={onClose} places={places} operator={operator} />
      <Help open={overlay === "help"} onClose={onClose} places={places} />
    </>
  );
}

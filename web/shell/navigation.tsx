import { Link } from "@tanstack/react-router";
import { Icon } from "../components/icon.tsx";
import { words } from "../words/en.ts";
import type { Place } from "./places.ts";

interface NavigationProps {
  readonly places: readonly Place[];
  readonly onGo?: () => void;
}

/** Links to all pages. They keep the range that is chosen. */
export function Navigation({ places, onGo }: NavigationProps) {
  return (
    <nav aria-label={words.shell.navigation} className="flex flex-col gap-px p-2">
      {places.map(({ to, name, icon }) => (
        <Link
          key={to}
          to={to}
          search={(search) => ({ range: search.range })}
          activeOptions={{ exact: to === "/", includeSearch: false }}
          onClick={onGo}
          className="flex h-8 items-center gap-2.5 rounded-md px-2.5 text-sm text-dim hover:bg-hover hover:text-ink aria-[current=page]:bg-hover aria-[current=page]:font-medium aria-[current=page]:text-ink pointer-coarse:h-11"
        >
          <Icon name={icon} />
          {name}
        </Link>
      ))}
    </nav>
  );
}

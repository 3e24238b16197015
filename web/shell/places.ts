import type { IconName } from "../components/icon.tsx";
import { isOperator, type User } from "../session/session.ts";
import { words } from "../words/en.ts";

/** The path of a page, below `/console`. */
export type PlacePath =
  | "/"
  | "/requests"
  | "/keys"
  | "/explorer"
  | "/search-backends"
  | "/models"
  | "/prices"
  | "/accounts"
  | "/account"
  | "/changes"
  | "/jobs"
  | "/settings"
  | "/api"
  | "/audit";

/** A page that the navigation leads to. */
export interface Place {
  readonly to: PlacePath;
  readonly name: string;
  readonly icon: IconName;
  /** Pressed after `g`. */
  readonly key: string;
  /** Members see it too. */
  readonly forAll?: true;
  /** It is there for members alone: operators have the same of all accounts. */
  readonly forMembers?: true;
}

const { places } = words;

const all: readonly Place[] = [
  { to: "/", name: places.overview, icon: "overview", key: "o", forAll: true },
  { to: "/requests", name: places.requests, icon: "requests", key: "r", forAll: true },
  { to: "/keys", name: places.keys, icon: "keys", key: "k" },
  { to: "/explorer", name: places.explorer, icon: "explorer", key: "e", forAll: true },
  { to: "/search-backends", name: places.backends, icon: "search", key: "b" },
  { to: "/models", name: places.models, icon: "models", key: "m" },
  { to: "/prices", name: places.prices, icon: "prices", key: "p" },
  { to: "/accounts", name: places.accounts, icon: "accounts", key: "a" },
  { to: "/audit", name: places.audit, icon: "audit", key: "u" },
  { to: "/changes", name: places.changes, icon: "changes", key: "c" },
  { to: "/jobs", name: places.jobs, icon: "jobs", key: "j" },
  { to: "/account", name: places.account, icon: "accounts", key: "a", forMembers: true },
  { to: "/settings", name: places.settings, icon: "settings", key: "s", forAll: true },
  { to: "/api", name: places.api, icon: "api", key: "d", forAll: true },
];

export function placesOf(user: User): readonly Place[] {
  const isShown = ({ forAll, forMembers }: Place) => (isOperator(user) ? !forMembers : forAll || forMembers);
  return all.filter(isShown);
}

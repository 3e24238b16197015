/** Who makes a change. */
export type Actor =
  /** An admin key, through the admin API. */
  | { readonly kind: "key"; readonly id: string }
  /** A user of the operating system, on the command line. */
  | { readonly kind: "command_line"; readonly user: string }
  /** A user of the console, by email address. */
  | { readonly kind: "console"; readonly user: string }
  /** The gateway itself, when it starts. */
  | { readonly kind: "gateway" };

/** The kinds of things that operators change. */
export const changeKinds = [
  "key",
  "price_list",
  "route",
  "account",
  "budget",
  "search_backend",
  "console_user",
  "provider",
  "model",
] as const;

export type ChangeKind = (typeof changeKinds)[number];

/** One change, as it is written down with it. `before` and `after` hold no secret and no hash of one. */
export interface NewChange {
  readonly by: Actor;
  readonly kind: ChangeKind;
  /** The id of what is changed; the version that is in force from then on if it is the price list. */
  readonly id: string;
  /** `create`, `change`, `rotate`. */
  readonly action: string;
  /** Null if there was nothing before. */
  readonly before: object | null;
  /** Null if it is gone. */
  readonly after: object | null;
}

export interface Change extends NewChange {
  /** Later changes have higher numbers; some may be missing. */
  readonly sequence: number;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

export interface ChangeQuery {
  readonly kind: ChangeKind | null;
  readonly id: string | null;
  readonly limit: number;
  /** Only changes before this one, by its sequence. */
  readonly after: number | null;
}

/** The audit trail. Entries are made by the stores, each in the transaction of its change, and never changed. */
export interface ChangeStore {
  /** Newest first. */
  list(query: ChangeQuery): Promise<readonly Change[]>;
  /** Who created each of these, by their ids. What was made before there was a trail is not in it. */
  creators(kind: ChangeKind, ids: readonly string[]): Promise<ReadonlyMap<string, Actor>>;
}

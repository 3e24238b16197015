import type { BetterAuthOptions } from "better-auth";
import type { Actor } from "../changes/change.ts";
import type { ConsoleUser, Role } from "./user.ts";

/** A session with its user. Times are milliseconds since 1970. */
export interface StoredSession {
  readonly id: string;
  readonly user: ConsoleUser;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Where it was begun; null if that is not known. */
  readonly address: string | null;
  readonly userAgent: string | null;
}

/**
 * What a link is for: `set_up` makes the first owner, `invitation` another user, and `reset` gives a user a new password.
 */
export type LinkKind = "set_up" | "invitation" | "reset";

/** A link that can be used once. Times are milliseconds since 1970. */
export interface ConsoleLink {
  readonly kind: LinkKind;
  /** Null if the user chooses it. */
  readonly email: string | null;
  readonly name: string | null;
  readonly role: Role;
  readonly accountId: string | null;
  /** The user that gets a new password; null if the link makes one. */
  readonly userId: string | null;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** A link with an id, which opens nothing. */
export interface PendingLink extends ConsoleLink {
  readonly id: string;
}

/** An API key, as far as it is named. */
export interface KnownKey {
  readonly id: string;
  readonly name: string;
}

/** Who a link makes, or whose password it sets. */
export interface Redeemer {
  readonly user: ConsoleUser;
  /** An Argon2id hash. */
  readonly passwordHash: string;
}

/** `last_owner`: nothing was changed, as there would be no owner left. */
export type UserChanged = "changed" | "unknown" | "last_owner";

/** Stores the users of the console, their sessions and links. Implemented by `src/storage`. */
export interface ConsoleStore {
  /** For the library of sign-in, which makes its own queries. */
  readonly authDatabase: NonNullable<BetterAuthOptions["database"]>;
  hasUsers(): Promise<boolean>;
  /** Oldest first, at most so many. */
  listUsers(limit: number): Promise<ConsoleUser[]>;
  findUser(id: string): Promise<ConsoleUser | null>;
  findUserByEmail(email: string): Promise<ConsoleUser | null>;
  /** All links that were made end with an owner's role, as they may be that owner's. */
  changeUser(id: string, change: Pick<ConsoleUser, "name" | "role" | "accountId">, by: Actor): Promise<UserChanged>;
  /** With all that belongs to the user and, if it was an owner, all links that were made. */
  removeUser(id: string, by: Actor): Promise<UserChanged>;
  /**
   * The admin keys in force whose secret this user was shown, by creating or rotating them, or a key that was made with such a
   * key, at most so many.
   */
  adminKeysOf(email: string, now: number, limit: number): Promise<KnownKey[]>;
  /** The session of a token that has not expired. */
  findSession(token: string, now: number): Promise<StoredSession | null>;
  /** Newest first, at most so many. @param userId null for all */
  listSessions(userId: string | null, now: number, limit: number): Promise<StoredSession[]>;
  /** @param userId the session must be of this user; null: of any */
  removeSession(id: string, userId: string | null): Promise<boolean>;
  /** Keeps only the newest sessions of a user. */
  trimSessions(userId: string, keep: number): Promise<void>;
  /**
   * Stores a link in place of an earlier one for the same purpose.
   * @param tokenHash SHA-256 in hex
   * @param by null: the gateway itself, which leaves no trail of it
   */
  putLink(tokenHash: string, link: ConsoleLink, by: Actor | null): Promise<void>;
  /** The invitations and resets that can still be used, newest first, at most so many. */
  listLinks(now: number, limit: number): Promise<PendingLink[]>;
  /** Takes back what `listLinks` lists. False if it could not be used any more. */
  removeLink(id: string, now: number, by: Actor): Promise<boolean>;
  /** A link that can still be used. */
  findLink(tokenHash: string, now: number): Promise<ConsoleLink | null>;
  /**
   * Uses a link up and makes its user, or sets the password and removes all else that the user signs in with, all or nothing.
   * False if it could not be used any more.
   * @throws EmailTaken if another user has the address
   */
  redeem(tokenHash: string, link: ConsoleLink, redeemer: Redeemer, now: number): Promise<boolean>;
  /** Removes challenges before their time is over. */
  removeChallenges(ids: readonly string[]): Promise<void>;
  /** Removes sessions, links and challenges whose time is over. Returns 0: none are left. */
  removeExpired(now: number): Promise<0>;
}

/** Another user has the email address. */
export class EmailTaken extends Error {
  override readonly name = "EmailTaken";
}

import { randomBytes } from "node:crypto";
import type { Actor } from "../changes/change.ts";
import type { ConsoleLink, ConsoleStore } from "./console-store.ts";

const hourMs = 3_600_000;
const lifetimes = { set_up: hourMs, reset: hourMs, invitation: 72 * hourMs } as const;

type NewLink = Omit<ConsoleLink, "createdAt" | "expiresAt">;

/**
 * Stores a link in place of an earlier one for the same purpose, and returns its token, which is not stored.
 * @param by null: the gateway itself
 */
export async function issueLink(
  store: ConsoleStore,
  link: NewLink,
  { now, by }: { readonly now: number; readonly by: Actor | null },
): Promise<string> {
  const token = randomBytes(32).toString("base64url");
  await store.putLink(hashToken(token), { ...link, createdAt: now, expiresAt: now + lifetimes[link.kind] }, by);
  return token;
}

/** The token of a link that makes the first owner; null if there is a user already. */
export async function issueSetUpLink(store: ConsoleStore, now: number): Promise<string | null> {
  if (await store.hasUsers()) return null;
  const link = { kind: "set_up", email: null, name: null, role: "owner", accountId: null, userId: null } as const;
  return issueLink(store, link, { now, by: null });
}

/** SHA-256 in hex. */
export function hashToken(token: string): string {
  return new Bun.CryptoHasher("sha256").update(token).digest("hex");
}

/**
 * The address of a link. Browsers send what is behind a `#` to no server, so that no proxy writes the token to its log.
 * @param origin with or without a slash at its end
 */
export function linkUrl(origin: string, token: string): string {
  return `${origin.replace(/\/$/, "")}/console/set-up#token=${token}`;
}

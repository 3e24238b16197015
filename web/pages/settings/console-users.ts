import { queryOptions } from "@tanstack/react-query";
import { ask } from "../../api/transport.ts";
import type { User } from "../../session/session.ts";

/** The users and sessions of the console, by its own paths. */

interface ConsoleSession {
  readonly id: string;
  readonly user: User;
  readonly current: boolean;
  readonly created_at: number;
  readonly expires_at: number;
  readonly address: string | null;
  readonly user_agent: string | null;
}

interface List<Item> {
  readonly data: readonly Item[];
}

export const usersQuery = queryOptions({
  queryKey: ["console-users"],
  queryFn: async () => (await ask<List<User>>("GET", "/console/users")).data,
});

interface Invitation {
  readonly id: string;
  readonly kind: "invitation" | "reset";
  readonly email: string;
  readonly role: User["role"];
  readonly created_at: number;
  readonly expires_at: number;
}

/** Links that can still be used: to join, and to choose a new password. */
export const invitationsQuery = queryOptions({
  queryKey: ["console-invitations"],
  queryFn: async () => (await ask<List<Invitation>>("GET", "/console/invitations")).data,
});

/** The admin keys whose secrets a user was shown. */
export const adminKeysQuery = (id: string) =>
  queryOptions({
    queryKey: ["console-admin-keys", id],
    queryFn: async () => {
      const path = `/console/users/${encodeURIComponent(id)}/admin-keys`;
      return (await ask<List<{ readonly id: string; readonly name: string }>>("GET", path)).data;
    },
  });

export const sessionsQuery = queryOptions({
  queryKey: ["console-sessions"],
  queryFn: async () => (await ask<List<ConsoleSession>>("GET", "/console/sessions")).data,
});

export const passkeysQuery = queryOptions({
  queryKey: ["passkeys"],
  queryFn: () =>
    ask<readonly { readonly id: string; readonly name?: string | null }[]>(
      "GET",
      "/console/auth/passkey/list-user-passkeys",
    ),
});

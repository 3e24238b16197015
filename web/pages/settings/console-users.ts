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

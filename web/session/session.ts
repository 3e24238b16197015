import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { ApiError } from "../api/error.ts";
import { ask, setCsrf } from "../api/transport.ts";
import { forgetKeys } from "./explorer-key.ts";

export type Role = "owner" | "operator" | "member";

export interface User {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly role: Role;
  /** Of a member: the account whose usage it sees. */
  readonly account_id: string | null;
}

interface Session {
  readonly user: User;
  readonly csrf: string;
}

/** The session of this browser; null if there is none. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  staleTime: 60_000,
  queryFn: async (): Promise<Session | null> => {
    try {
      const session = await ask<Session>("GET", "/console/session");
      setCsrf(session.csrf);
      return session;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error;
      setCsrf(null);
      forgetKeys();
      return null;
    }
  },
});

/** Who has signed in. Only for pages behind the sign-in. */
export function useUser(): User {
  const { data } = useQuery(sessionQuery);
  if (!data) throw new Error("There is no session.");
  return data.user;
}

/** Whether a role may see and change what concerns all accounts. */
export function isOperator({ role }: Pick<User, "role">): boolean {
  return role !== "member";
}

/** Ends the session. */
export function useSignOut(): () => Promise<void> {
  const queries = useQueryClient();
  return async () => {
    await ask("POST", "/console/auth/sign-out", {});
    setCsrf(null);
    forgetKeys();
    queries.clear();
    location.assign("/console/sign-in");
  };
}

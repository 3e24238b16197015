import { GatewayError } from "../errors.ts";

/** What users of the console may do: owners everything, operators all but users, members what concerns their account. */
export const roles = ["owner", "operator", "member"] as const;

export type Role = (typeof roles)[number];

export interface ConsoleUser {
  readonly id: string;
  readonly name: string;
  /** In lower case. */
  readonly email: string;
  readonly role: Role;
  /** The account of a member; null for others, who see all. */
  readonly accountId: string | null;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** A user in the API of the console. */
export function userView({ id, name, email, role, accountId, createdAt }: ConsoleUser) {
  const created = Math.floor(createdAt / 1000);
  return { object: "console_user", id, name, email, role, account_id: accountId, created_at: created };
}

/** A user in the audit trail. */
export function userSettings({ name, email, role, accountId }: Omit<ConsoleUser, "id" | "createdAt">) {
  return { name, email, role, account: accountId };
}

export function emailTaken(): GatewayError {
  return GatewayError.of("user_exists", "There is a user with this email address already.", { param: "email" });
}

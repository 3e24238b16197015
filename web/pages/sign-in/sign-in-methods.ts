import { queryOptions } from "@tanstack/react-query";
import { ask } from "../../api/transport.ts";

interface SignInMethods {
  readonly passkey: boolean;
  /** The organisation's own sign-in; null if there is none. */
  readonly oidc: { readonly name: string } | null;
}

/** The ways to sign in beside the password. */
export const signInMethodsQuery = queryOptions({
  queryKey: ["sign-in-methods"],
  queryFn: () => ask<SignInMethods>("GET", "/console/auth/methods"),
});

/** Goes to the organisation's own sign-in, and comes back to a page of the console. */
export async function startOidc(next: string): Promise<void> {
  const { url } = await ask<{ readonly url: string }>("POST", "/console/auth/sign-in/social", { callbackURL: next });
  location.assign(url);
}

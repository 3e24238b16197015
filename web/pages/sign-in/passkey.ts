import { ask } from "../../api/transport.ts";

/** Passkeys, by what browsers have for them. */

export function canUsePasskeys(): boolean {
  return typeof PublicKeyCredential === "function" && "parseRequestOptionsFromJSON" in PublicKeyCredential;
}

/** @throws if the user has none, or turns away */
export async function signInWithPasskey(): Promise<void> {
  const path = "/console/auth/passkey/generate-authenticate-options";
  const options = await ask<PublicKeyCredentialRequestOptionsJSON>("GET", path);
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  const credential = await navigator.credentials.get({ publicKey });
  await ask("POST", "/console/auth/passkey/verify-authentication", { response: asJson(credential) });
}

/** Makes a passkey for the user who has signed in. */
export async function addPasskey(name: string): Promise<void> {
  const path = "/console/auth/passkey/generate-register-options";
  const options = await ask<PublicKeyCredentialCreationOptionsJSON>("GET", path);
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const credential = await navigator.credentials.create({ publicKey });
  await ask("POST", "/console/auth/passkey/verify-registration", { name, response: asJson(credential) });
}

function asJson(credential: Credential | null): unknown {
  if (!(credential instanceof PublicKeyCredential)) throw new Error("The browser gave no passkey.");
  return credential.toJSON();
}

import { passkey } from "@better-auth/passkey";
import { betterAuth } from "better-auth";
import { GatewayError } from "../errors.ts";
import type { Log } from "../log.ts";
import { addressHeader, oidcProvider } from "./auth-terms.ts";
import type { ConsoleStore } from "./console-store.ts";
import type { Site } from "./origin.ts";
import { hashPassword, maxPasswordLength, minPasswordLength, verifyPassword } from "./password.ts";
import { cookiePrefix } from "./session-cookie.ts";
import type { OidcSettings } from "./settings.ts";

/** The library of sign-in for one site. */
export interface Auth {
  /** Answers a request below `/console/auth`. The caller has checked where it comes from and what it may ask. */
  handle(request: Request): Promise<Response>;
}

interface AuthSettings {
  readonly site: Site;
  readonly secret: string;
  readonly sessionMs: number;
  readonly oidc: OidcSettings | null;
  readonly store: ConsoleStore;
  readonly log: Log;
  /** Is told of each challenge that is stored, and for which address. */
  readonly onChallenge: (id: string, address: string) => Promise<void>;
}

/** How long a provider may take to tell of itself. */
const discoveryMs = 10_000;

/** @throws GatewayError 503 if an OIDC provider does not tell of itself */
export async function createAuth(settings: AuthSettings): Promise<Auth> {
  const { site, secret, sessionMs, oidc, store, log, onChallenge } = settings;
  const timestamps = { createdAt: "created_at", updatedAt: "updated_at" };
  const auth = betterAuth({
    appName: "Tollgate",
    baseURL: site.origin,
    basePath: "/console/auth",
    secret,
    database: store.authDatabase,
    telemetry: { enabled: false },
    // Its messages may have what callers sent.
    logger: { disabled: true },
    rateLimit: { enabled: false },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength,
      maxPasswordLength,
      password: { hash: hashPassword, verify: verifyPassword },
    },
    user: {
      modelName: "console_users",
      fields: { emailVerified: "email_verified", ...timestamps },
      additionalFields: {
        role: { type: "string", input: false, defaultValue: "member" },
        accountId: { type: "string", input: false, required: false, fieldName: "account_id" },
      },
    },
    session: {
      modelName: "console_sessions",
      fields: {
        userId: "user_id",
        expiresAt: "expires_at",
        ipAddress: "ip_address",
        userAgent: "user_agent",
        ...timestamps,
      },
      expiresIn: Math.floor(sessionMs / 1000),
      disableSessionRefresh: true,
    },
    account: {
      modelName: "console_identities",
      fields: {
        accountId: "subject",
        providerId: "provider",
        userId: "user_id",
        accessToken: "access_token",
        refreshToken: "refresh_token",
        idToken: "id_token",
        accessTokenExpiresAt: "access_token_expires_at",
        refreshTokenExpiresAt: "refresh_token_expires_at",
        ...timestamps,
      },
      updateAccountOnSignIn: false,
      accountLinking: { enabled: true, trustedProviders: [] },
    },
    verification: {
      modelName: "console_verifications",
      fields: { expiresAt: "expires_at", ...timestamps },
    },
    databaseHooks: {
      // The provider is asked who someone is, and never again.
      account: { create: { before: async (account) => ({ data: { ...account, ...withoutTokens } }) } },
      verification: {
        create: {
          after: async ({ id }, context) => onChallenge(id, context?.headers?.get(addressHeader) ?? ""),
        },
      },
      session: {
        create: {
          before: async (session) => ({
            data: { ...session, userAgent: (session.userAgent ?? "").slice(0, maxUserAgent) },
          }),
        },
      },
    },
    onAPIError: { errorURL: `${site.origin}/console/sign-in` },
    plugins: [
      passkey({
        rpName: "Tollgate",
        authenticatorSelection: { residentKey: "required", userVerification: "required" },
        registration: { afterVerification: async ({ verification }) => requireUser(verification.registrationInfo) },
        authentication: {
          afterVerification: async ({ verification }) => requireUser(verification.authenticationInfo),
        },
        schema: {
          passkey: {
            modelName: "console_passkeys",
            fields: {
              publicKey: "public_key",
              userId: "user_id",
              credentialID: "credential_id",
              deviceType: "device_type",
              backedUp: "backed_up",
              createdAt: "created_at",
            },
          },
        },
      }),
      ...(oidc === null ? [] : [await oidcPlugin(oidc)]),
    ],
    advanced: {
      cookiePrefix: cookiePrefix(site.isSecure),
      // It would put `__Secure-` before the prefix.
      useSecureCookies: false,
      defaultCookieAttributes: { sameSite: "strict", httpOnly: true, path: "/", secure: site.isSecure },
      // The provider's answer comes by a link from its own site.
      cookies: { state: { attributes: { sameSite: "lax" } } },
      ipAddress: { ipAddressHeaders: [addressHeader] },
      // The gateway's own checks are stricter; these stay on beside them.
      disableCSRFCheck: false,
      disableOriginCheck: false,
      database: { validateSchema: false },
    },
  });
  if (oidc !== null) await checkProvider(auth.$context, oidc, log);
  return { handle: (request) => auth.handler(request) };
}

const maxUserAgent = 256;
const maxIssuer = 512;
const withoutTokens = { accessToken: null, refreshToken: null, idToken: null } as const;

/** A passkey stands alone, so its device has to have verified its user. */
function requireUser(info: { readonly userVerified: boolean } | undefined): undefined {
  if (info?.userVerified === true) return;
  throw GatewayError.of("sign_in_failed", "The passkey did not verify its user by a PIN, a fingerprint or a face.");
}

async function oidcPlugin({ issuer, clientId, clientSecret, scopes }: OidcSettings) {
  const { genericOAuth } = await import("better-auth/plugins/generic-oauth");
  const address = issuer.replace(/\/+$/, "");
  return genericOAuth({
    config: [
      {
        providerId: oidcProvider,
        discoveryUrl: `${address}/.well-known/openid-configuration`,
        clientId,
        clientSecret,
        scopes: [...scopes],
        pkce: true,
        requireIdTokenVerification: true,
        disableSignUp: true,
        // Subjects are a provider's own, often small numbers: another one's after it are other people.
        accountSubject: ({ profile: { sub = "" } }) => (sub === "" || sub === null ? "" : `${address} ${sub}`),
        // The library takes the text "false" for true, and any claim that has its own name for this one.
        mapProfileToUser: (profile) => ({ emailVerified: isVerified(profile["email_verified"]) }),
      },
    ],
  });
}

/** Some providers write the claim as text. */
function isVerified(claim: unknown): boolean {
  return claim === true || claim === "true";
}

interface KnownProvider {
  readonly id: string;
  readonly issuer?: string | undefined;
}

/**
 * The library goes on without a provider that it cannot reach; the next attempt shall ask again. It takes any issuer that the
 * provider's document names: one that is not exactly the configured one could be a provider that stands in for another.
 */
async function checkProvider(
  context: Promise<{ readonly socialProviders: readonly KnownProvider[] }>,
  { issuer }: OidcSettings,
  log: Log,
): Promise<void> {
  const late = Bun.sleep(discoveryMs).then(() => null);
  const found = (await Promise.race([context, late]))?.socialProviders.find(({ id }) => id === oidcProvider);
  if (found?.issuer === issuer) return;
  if (found === undefined) {
    log.warn({}, "The OIDC provider of the console does not answer, or does not tell enough of itself.");
  } else {
    const named = found.issuer?.slice(0, maxIssuer) ?? null;
    log.warn({ configured: issuer, named }, "The OIDC provider names another issuer than console.oidc.issuer.");
  }
  throw GatewayError.of("overloaded", "The provider of single sign-on cannot be reached.", { retryAfterSeconds: 10 });
}

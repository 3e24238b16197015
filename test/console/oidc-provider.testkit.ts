import { createSign, generateKeyPairSync } from "node:crypto";

/** Who the provider says someone is. */
export interface Claims {
  readonly sub: string;
  readonly email?: string;
  /** Some providers write it as text. */
  readonly email_verified?: boolean | string;
  /** A claim of no meaning, with the name that the library of sign-in has for the one above. */
  readonly emailVerified?: boolean;
  readonly name?: string;
}

/** An OIDC provider that signs everyone in as `claims`. */
export interface TestProvider {
  readonly issuer: string;
  claims: Claims;
  /** Instead of the nonce of the request. */
  nonce: string | null;
  /** Signs with a key that is not published. */
  isForged: boolean;
  /** What its discovery document and tokens call the issuer, instead of its address. */
  claimedIssuer: string | null;
  /** Added to the address that browsers come back to, as RFC 9207 has it. */
  answerIssuer: string | null;
  stop(): Promise<void>;
}

export const clientId = "tollgate-tests";
export const clientSecret = "a secret of tests";

const published = generateKeyPairSync("rsa", { modulusLength: 2048 });
const other = generateKeyPairSync("rsa", { modulusLength: 2048 });

export function startProvider(): TestProvider {
  const nonces = new Map<string, string>();
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    routes: {
      "/.well-known/openid-configuration": () =>
        Response.json({
          issuer: provider.claimedIssuer ?? provider.issuer,
          authorization_endpoint: `${provider.issuer}/authorize`,
          token_endpoint: `${provider.issuer}/token`,
          userinfo_endpoint: `${provider.issuer}/userinfo`,
          jwks_uri: `${provider.issuer}/jwks`,
          id_token_signing_alg_values_supported: ["RS256"],
        }),
      "/jwks": () =>
        Response.json({
          keys: [{ ...published.publicKey.export({ format: "jwk" }), kid: "1", alg: "RS256", use: "sig" }],
        }),
      "/authorize": (request) => {
        const query = new URL(request.url).searchParams;
        const code = crypto.randomUUID();
        nonces.set(code, query.get("nonce") ?? "");
        const back = new URL(query.get("redirect_uri") ?? "");
        back.searchParams.set("code", code);
        back.searchParams.set("state", query.get("state") ?? "");
        if (provider.answerIssuer !== null) back.searchParams.set("iss", provider.answerIssuer);
        return Response.redirect(back.href, 302);
      },
      "/token": async (request) => {
        const form = new URLSearchParams(await request.text());
        const nonce = provider.nonce ?? nonces.get(form.get("code") ?? "") ?? "";
        if (form.get("code_verifier") === null) return Response.json({ error: "invalid_grant" }, { status: 400 });
        const now = Math.floor(Date.now() / 1000);
        const iss = provider.claimedIssuer ?? provider.issuer;
        const claims = { iss, aud: clientId, iat: now, exp: now + 300, nonce, ...provider.claims };
        const token = {
          access_token: "access secret",
          refresh_token: "refresh secret",
          token_type: "Bearer",
          expires_in: 300,
        };
        return Response.json({ ...token, id_token: signed(claims, provider.isForged) });
      },
      "/userinfo": () => Response.json(provider.claims),
    },
  });
  const provider: TestProvider = {
    issuer: `http://127.0.0.1:${server.port}`,
    claims: { sub: "1" },
    nonce: null,
    isForged: false,
    claimedIssuer: null,
    answerIssuer: null,
    stop: () => server.stop(true),
  };
  return provider;
}

function signed(claims: object, isForged: boolean): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
  const text = `${encode({ alg: "RS256", kid: "1", typ: "JWT" })}.${encode(claims)}`;
  const { privateKey } = isForged ? other : published;
  return `${text}.${createSign("RSA-SHA256").update(text).sign(privateKey, "base64url")}`;
}

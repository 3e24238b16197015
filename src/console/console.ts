import type { Clock } from "../clock.ts";
import type { RequestHeaders } from "../http/headers.ts";
import { overloaded } from "../errors.ts";
import type { Log } from "../log.ts";
import { deriveSecret, type SecretKeys } from "../secrets/secret-key.ts";
import type { Auth } from "./auth.ts";
import { createChallengeLedger } from "./challenge-ledger.ts";
import type { ConsoleStore } from "./console-store.ts";
import { type Site, siteOf } from "./origin.ts";
import type { ConsoleSettings } from "./settings.ts";
import { createSignInLimits, type SignInLimits } from "./sign-in-limits.ts";

/** What the console's paths need. Making it costs a start nothing: secrets and the library of sign-in come with their first use. */
export interface Console {
  readonly settings: ConsoleSettings;
  readonly store: ConsoleStore;
  readonly limits: SignInLimits;
  /** @throws 503 if there is no secret key */
  secrets(): ConsoleSecrets;
  siteOf(headers: RequestHeaders): Site;
  /** The library of sign-in for this site. */
  auth(site: Site, use: AuthUse): Promise<Auth>;
}

/** `oidc` needs what the provider publishes, which the others do without. */
export type AuthUse = "own" | "oidc";

export interface ConsoleSecrets {
  /** Signs cookies. */
  readonly cookies: string;
  /** Makes the tokens that requests carry against forgery. */
  readonly csrf: string;
  /** Signs the cookies of browsers in which a user has signed in before. */
  readonly devices: string;
}

interface ConsoleParts {
  readonly settings: ConsoleSettings;
  readonly store: ConsoleStore;
  readonly keys: SecretKeys;
  readonly steady: Clock;
  readonly log: Log;
}

/** Callers choose the host that they name: so many sites are kept. */
const maxSites = 8;
/** Challenges to strangers that are stored at once, by this process. */
const maxChallenges = 5_000;

export function createConsole({ settings, store, keys, steady, log }: ConsoleParts): Console {
  let derived: ConsoleSecrets | null = null;
  const made = new Map<string, Promise<Auth>>();
  const challenges = createChallengeLedger(steady, maxChallenges);
  const onChallenge = (id: string, address: string) => store.removeChallenges(challenges.add(id, address));

  function secrets(): ConsoleSecrets {
    try {
      derived ??= {
        cookies: deriveSecret(keys, "console cookies"),
        csrf: deriveSecret(keys, "console csrf"),
        devices: deriveSecret(keys, "console devices"),
      };
      return derived;
    } catch (error) {
      log.warn({ error: String(error) }, "The console needs a secret key.");
      throw overloaded("storage_unavailable", "The console needs TOLLGATE_SECRET_KEY; the gateway's log says why.", 60);
    }
  }

  return {
    settings,
    store,
    limits: createSignInLimits(steady),
    secrets,
    siteOf: (headers) => siteOf(headers, settings.publicUrl),
    async auth(site, use) {
      const name = `${use} ${site.origin}`;
      const known = made.get(name);
      if (known) return known;
      const oidc = use === "oidc" ? settings.oidc : null;
      const { cookies: secret } = secrets();
      const auth = import("./auth.ts").then(({ createAuth }) =>
        createAuth({ site, secret, sessionMs: settings.sessionMs, oidc, store, log, onChallenge }),
      );
      const [oldest] = made.keys();
      if (made.size >= maxSites && oldest !== undefined) made.delete(oldest);
      made.set(name, auth);
      // What fails is tried again by the next request.
      auth.catch(() => made.delete(name));
      return auth;
    },
  };
}

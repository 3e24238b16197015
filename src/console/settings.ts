/** The settings of the console. Hold a secret: do not log. */
export interface ConsoleSettings {
  readonly enabled: boolean;
  /** The address under which browsers reach the gateway; null: that of each request. */
  readonly publicUrl: string | null;
  /** How long a session lasts. */
  readonly sessionMs: number;
  /** Null: no sign-in by OIDC. */
  readonly oidc: OidcSettings | null;
}

/** An OIDC provider. */
export interface OidcSettings {
  /** As the sign-in page shows it. */
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: readonly string[];
}

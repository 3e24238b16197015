import { type BodyLogPolicy, usualBodyLogPolicy } from "./body-log-policy.ts";

type Settings = Omit<BodyLogPolicy, "clearedAt" | "redact"> & BodyLogPolicy["redact"];

/** A change of a policy: what is absent stays as it is, and null stands for what is usual. */
export type BodyLogChange = { readonly [Name in keyof Settings]?: Settings[Name] | null | undefined };

/** The policy after a change. @param before null if there was none */
export function changePolicy(before: BodyLogPolicy | null, change: BodyLogChange): BodyLogPolicy {
  const { clearedAt, redact, ...settings } = before ?? usualBodyLogPolicy;
  const { redact: usualRules, ...usual } = usualBodyLogPolicy;
  const changed: Settings = { ...settings, ...redact };
  const defaults: Settings = { ...usual, ...usualRules };
  const pick = <Name extends keyof Settings>(name: Name): Settings[Name] => {
    const value = change[name];
    return value === undefined ? changed[name] : (value ?? defaults[name]);
  };
  return {
    enabled: pick("enabled"),
    redact: { fields: pick("fields"), paths: pick("paths"), patterns: pick("patterns") },
    retentionMs: pick("retentionMs"),
    maxBodyBytes: pick("maxBodyBytes"),
    maxBytes: pick("maxBytes"),
    clearedAt,
  };
}

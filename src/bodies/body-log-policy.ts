import { pathProblem } from "./redaction-path.ts";

/** Built-in patterns of what is taken out of texts. */
export const redactionPatterns = ["keys", "emails", "cards"] as const;

export type RedactionPattern = (typeof redactionPatterns)[number];

/** What is taken out of bodies before they are kept. */
export interface RedactionRules {
  /** Names of properties, in any case and at any depth, whose values are taken out. */
  readonly fields: readonly string[];
  /** JSON paths, such as `messages[*].content`, whose values are taken out. */
  readonly paths: readonly string[];
  /** API keys and the like, email addresses, numbers of payment cards: wherever they stand in a text. */
  readonly patterns: readonly RedactionPattern[];
}

/** Whether the bodies of an account's requests are kept, and how. It outlives an opt-out: what was kept keeps its retention. */
export interface BodyLogPolicy {
  readonly enabled: boolean;
  readonly redact: RedactionRules;
  /** How long bodies are kept. */
  readonly retentionMs: number;
  /** Bytes that are kept of each body; the rest is cut off. */
  readonly maxBodyBytes: number;
  /** Bytes that are kept of the account's bodies together; the oldest are removed. */
  readonly maxBytes: number;
  /** Bodies of requests before this time were deleted; milliseconds since 1970, null if none were. */
  readonly clearedAt: number | null;
}

const dayMs = 86_400_000;

/** A policy before anything was said. */
export const usualBodyLogPolicy: BodyLogPolicy = {
  enabled: false,
  redact: { fields: [], paths: [], patterns: redactionPatterns },
  retentionMs: 7 * dayMs,
  maxBodyBytes: 256 << 10,
  maxBytes: 1 << 30,
  clearedAt: null,
};

/** Bounds of a policy. */
export const bodyLogBounds = {
  minRetentionMs: 60_000,
  maxRetentionMs: 365 * dayMs,
  minBodyBytes: 1 << 10,
  maxBodyBytes: 1 << 20,
  minBytes: 1 << 20,
  maxBytes: 1024 ** 4,
  maxRules: 100,
  maxRuleLength: 200,
} as const;

/** What is wrong with redaction rules, by the name of the field; null if nothing is. */
export function problemOfRules({ fields, paths }: RedactionRules): { field: string; expected: string } | null {
  const { maxRules, maxRuleLength } = bodyLogBounds;
  for (const [field, rules] of Object.entries({ fields, paths })) {
    if (rules.length > maxRules) return { field, expected: `at most ${maxRules} rules` };
    const at = rules.findIndex((rule) => rule === "" || rule.length > maxRuleLength);
    if (at >= 0) return { field: `${field}[${at}]`, expected: `1 to ${maxRuleLength} characters` };
  }
  for (const [at, path] of paths.entries()) {
    const expected = pathProblem(path);
    if (expected !== null) return { field: `paths[${at}]`, expected };
  }
  return null;
}

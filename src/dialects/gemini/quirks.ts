import { carried, emulated, ignored, withChanges, type SupportColumn } from "../../conversation/fields/support.ts";
import { geminiSupport } from "./support.ts";

/** Exceptions for some models. All entries whose pattern matches apply, later ones over earlier ones. */
interface GeminiQuirk {
  /** Matches the provider's own name of the model, after any path. */
  readonly models: RegExp;
  readonly changes?: Partial<SupportColumn>;
  readonly profile?: Partial<GeminiProfile>;
}

export type ThinkingLevel = "MINIMAL" | "LOW" | "MEDIUM" | "HIGH";

export interface GeminiProfile {
  /** The form in which the model takes its reasoning setting. Both forms together are an error. */
  readonly thinking:
    | { readonly by: "level"; readonly levels: readonly ThinkingLevel[] }
    | { readonly by: "budget"; readonly minBudget: number; readonly maxBudget: number; readonly canDisable: boolean }
    | { readonly by: "nothing" };
  /** Whether an earlier function call without a signature is an error. */
  readonly needsSignatures: boolean;
  /** Whether a function response may hold images and documents. */
  readonly mediaInResults: boolean;
}

/** The newest models are the rule, so that one not known yet is treated as they are. */
const commonProfile: GeminiProfile = {
  thinking: { by: "level", levels: ["MINIMAL", "LOW", "MEDIUM", "HIGH"] },
  needsSignatures: true,
  mediaInResults: true,
};

const beforeSignatures = { needsSignatures: false, mediaInResults: false };

const name = (pattern: string) => new RegExp(`(^|/)(${pattern})`, "i");

const mediaBesideResults = { "toolResult.media": emulated("a user turn after the results") };

/** Models that differ from the column, by their names. */
export const geminiQuirks: readonly GeminiQuirk[] = [
  {
    models: name("gemini-3-pro"),
    profile: { thinking: { by: "level", levels: ["LOW", "HIGH"] } },
  },
  {
    models: name("gemini-3\\.\\d+-pro"),
    profile: { thinking: { by: "level", levels: ["LOW", "MEDIUM", "HIGH"] } },
  },
  {
    models: name("gemini-2\\.5"),
    changes: {
      ...mediaBesideResults,
      "reasoning.enabled": emulated("a budget of the model's own choice"),
      "reasoning.disabled": emulated("a budget of 0"),
      "reasoning.effort": emulated("a budget of tokens"),
      "reasoning.budget": carried,
    },
    profile: { ...beforeSignatures, thinking: { by: "budget", minBudget: 1, maxBudget: 24_576, canDisable: true } },
  },
  {
    models: name("gemini-2\\.5-flash-lite"),
    profile: { thinking: { by: "budget", minBudget: 512, maxBudget: 24_576, canDisable: true } },
  },
  {
    models: name("gemini-2\\.5-pro"),
    changes: { "reasoning.disabled": emulated("the smallest budget, with a warning") },
    profile: { thinking: { by: "budget", minBudget: 128, maxBudget: 32_768, canDisable: false } },
  },
  {
    // These do not reason: switching reasoning off has no effect, other settings of it are lost.
    models: name("gemini-(1|2\\.0|pro)|gemma|learnlm"),
    changes: {
      ...mediaBesideResults,
      "reasoning.enabled": ignored,
      "reasoning.disabled": emulated("the model, which never reasons"),
      "reasoning.effort": ignored,
      "reasoning.budget": ignored,
      "reasoning.summary": ignored,
    },
    profile: { ...beforeSignatures, thinking: { by: "nothing" } },
  },
];

/** The column with what is different for this model. */
export function geminiSupportOf(model: string): SupportColumn {
  return geminiQuirks.reduce(
    (column, quirk) =>
      quirk.changes !== undefined && quirk.models.test(model) ? withChanges(column, quirk.changes) : column,
    geminiSupport,
  );
}

export function geminiProfileOf(model: string): GeminiProfile {
  return geminiQuirks.reduce(
    (profile, quirk) =>
      quirk.profile !== undefined && quirk.models.test(model) ? { ...profile, ...quirk.profile } : profile,
    commonProfile,
  );
}

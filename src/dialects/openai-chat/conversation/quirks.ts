import {
  carried,
  emulated,
  ignored,
  refused,
  withChanges,
  type SupportColumn,
} from "../../../conversation/fields/support.ts";
import { chatSupport } from "./support.ts";

/** Exceptions for some models. All entries whose pattern matches apply, later ones over earlier ones. */
interface ChatQuirk {
  /** Matches the provider's own name of the model, after any path. */
  readonly models: RegExp;
  readonly changes?: Partial<SupportColumn>;
  readonly profile?: Partial<ChatProfile>;
}

export interface ChatProfile {
  /** The name of the field for the max output tokens. */
  readonly maxTokensField: "max_completion_tokens" | "max_tokens";
  /** The efforts the model takes, weakest first; `none` switches reasoning off. */
  readonly efforts: readonly string[];
  /** Whether earlier reasoning is handed back as `reasoning_content`. */
  readonly takesReasoning: boolean;
}

const commonProfile: ChatProfile = {
  maxTokensField: "max_completion_tokens",
  efforts: ["none", "minimal", "low", "medium", "high", "xhigh", "max"],
  takesReasoning: false,
};

const name = (pattern: string) => new RegExp(`(^|/)(${pattern})`, "i");

/** Models that differ from the column, by their names. */
export const chatQuirks: readonly ChatQuirk[] = [
  {
    // These do not reason: switching reasoning off has no effect, other settings of it are lost.
    models: name("gpt-3|gpt-4|chatgpt-4"),
    changes: {
      "reasoning.enabled": ignored,
      "reasoning.disabled": emulated("the model, which never reasons"),
      "reasoning.effort": ignored,
      "reasoning.budget": ignored,
      verbosity: ignored,
    },
    profile: { efforts: [] },
  },
  {
    models: name("o[134](-|$)"),
    changes: {
      "reasoning.disabled": ignored,
      temperature: ignored,
      topP: ignored,
      presencePenalty: ignored,
      frequencyPenalty: ignored,
      stop: refused("This model takes no stop sequences."),
    },
    profile: { efforts: ["low", "medium", "high"] },
  },
  {
    models: name("gpt-5(-|$)"),
    changes: {
      "reasoning.disabled": ignored,
      temperature: ignored,
      topP: ignored,
      presencePenalty: ignored,
      frequencyPenalty: ignored,
    },
    profile: { efforts: ["minimal", "low", "medium", "high"] },
  },
  {
    models: name("gpt-(5\\.([6-9]|\\d\\d)|[6-9])"),
    changes: { cache: carried, "cache.lifetime": emulated("the nearest lifetime the vendor has") },
  },
  {
    models: name("deepseek|kimi|moonshot|qwen|glm|minimax|mimo"),
    changes: {
      "reasoning.unsigned": carried,
      "reasoning.disabled": ignored,
      "reasoning.effort": ignored,
      "reasoning.budget": ignored,
      verbosity: ignored,
      safetyIdentifier: ignored,
      cacheKey: ignored,
    },
    profile: { maxTokensField: "max_tokens", efforts: [], takesReasoning: true },
  },
  {
    models: name("mistral|ministral|codestral|devstral|magistral|pixtral|llama|gemma|phi"),
    changes: { verbosity: ignored, safetyIdentifier: ignored, cacheKey: ignored, "reasoning.disabled": ignored },
    profile: { maxTokensField: "max_tokens", efforts: [] },
  },
];

/** The column with what is different for this model. */
export function chatSupportOf(model: string): SupportColumn {
  return chatQuirks.reduce(
    (column, quirk) =>
      quirk.changes !== undefined && quirk.models.test(model) ? withChanges(column, quirk.changes) : column,
    chatSupport,
  );
}

export function chatProfileOf(model: string): ChatProfile {
  return chatQuirks.reduce(
    (profile, quirk) =>
      quirk.profile !== undefined && quirk.models.test(model) ? { ...profile, ...quirk.profile } : profile,
    commonProfile,
  );
}

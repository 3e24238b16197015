import { carried, emulated, ignored, withChanges, type SupportColumn } from "../../conversation/fields/support.ts";
import { responsesSupport } from "./support.ts";

/** Exceptions for some models. All entries whose pattern matches apply, later ones over earlier ones. */
interface ResponsesQuirk {
  /** Matches the provider's own name of the model, after any path. */
  readonly models: RegExp;
  readonly changes?: Partial<SupportColumn>;
  readonly profile?: Partial<ResponsesProfile>;
}

export interface ResponsesProfile {
  /** The efforts the model takes, weakest first; `none` switches reasoning off. */
  readonly efforts: readonly string[];
  /**
   * Whether the seals of its reasoning can be asked for: it is an error to ask a model that never reasons, and unknown
   * models are asked only if the request sets reasoning, or sends earlier reasoning back.
   */
  readonly seals: "always" | "where-used" | "never";
}

const commonProfile: ResponsesProfile = {
  efforts: ["none", "minimal", "low", "medium", "high", "xhigh", "max"],
  seals: "where-used",
};

const name = (pattern: string) => new RegExp(`(^|/)(${pattern})`, "i");

/** Models that differ from the column, by their names. */
export const responsesQuirks: readonly ResponsesQuirk[] = [
  {
    // These do not reason: switching reasoning off has no effect, other settings of it are lost.
    models: name("gpt-3|gpt-4|chatgpt-4"),
    changes: {
      "reasoning.openai": ignored,
      "reasoning.enabled": ignored,
      "reasoning.disabled": emulated("the model, which never reasons"),
      "reasoning.effort": ignored,
      "reasoning.budget": ignored,
      "reasoning.summary": ignored,
      verbosity: ignored,
    },
    profile: { efforts: [], seals: "never" },
  },
  {
    models: name("o[134](-|$)"),
    changes: { "reasoning.disabled": ignored, temperature: ignored, topP: ignored, verbosity: ignored },
    profile: { efforts: ["low", "medium", "high"], seals: "always" },
  },
  {
    models: name("gpt-([5-9]|\\d\\d)|codex|computer-use"),
    profile: { seals: "always" },
  },
  {
    models: name("gpt-5(-|$)"),
    changes: { "reasoning.disabled": ignored, temperature: ignored, topP: ignored },
    profile: { efforts: ["minimal", "low", "medium", "high"] },
  },
  {
    models: name("gpt-(5\\.([6-9]|\\d\\d)|[6-9]|\\d\\d)"),
    changes: { cache: carried, "cache.lifetime": emulated("the nearest lifetime the vendor has") },
  },
];

/** The column with what is different for this model. */
export function responsesSupportOf(model: string): SupportColumn {
  return responsesQuirks.reduce(
    (column, { models, changes }) =>
      changes !== undefined && models.test(model) ? withChanges(column, changes) : column,
    responsesSupport,
  );
}

export function responsesProfileOf(model: string): ResponsesProfile {
  return responsesQuirks.reduce(
    (known, { models, profile }) => (profile !== undefined && models.test(model) ? { ...known, ...profile } : known),
    commonProfile,
  );
}

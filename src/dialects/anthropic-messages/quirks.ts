import {
  carried,
  emulated,
  ignored,
  refused,
  withChanges,
  type SupportColumn,
} from "../../conversation/fields/support.ts";
import { messagesSupport } from "./support.ts";

/** Exceptions for some models. All entries whose pattern matches apply, later ones over earlier ones. */
interface MessagesQuirk {
  /** Matches the provider's own name of the model, after any path. */
  readonly models: RegExp;
  readonly changes?: Partial<SupportColumn>;
  readonly profile?: Partial<MessagesProfile>;
}

export interface MessagesProfile {
  /** How thinking is asked for: by effort, by a budget of tokens, or not at all. */
  readonly thinking: "adaptive" | "budget" | "none";
  /** Whether thinking cannot be switched off. */
  readonly alwaysThinks: boolean;
}

const name = (pattern: string) => new RegExp(`(^|[/.])claude-(${pattern})`, "i");
const noThinking = { "reasoning.enabled": ignored, "reasoning.effort": ignored, "reasoning.budget": ignored };
const noPrefill = refused("This model does not continue an assistant message.");
const noForcedTools = refused("This model cannot be forced to call a tool.");

/** Models that differ from the column, by their names. */
export const messagesQuirks: readonly MessagesQuirk[] = [
  {
    models: name("(3-[57]|3|sonnet-4|opus-4)(-|$)"),
    changes: {
      "responseFormat.schema": refused("This model has no structured output."),
      "reasoning.effort": emulated("a budget of tokens"),
      "reasoning.budget": carried,
      "tool.strict": ignored,
    },
    profile: { thinking: "budget" },
  },
  {
    models: name("3(-5)?-|3-5"),
    changes: { ...noThinking, "reasoning.disabled": emulated("the model, which never reasons") },
    profile: { thinking: "none" },
  },
  {
    models: name("opus-4[-.]1|(opus|sonnet|haiku)-4[-.]5"),
    changes: {
      "responseFormat.schema": carried,
      "reasoning.effort": emulated("a budget of tokens"),
      "reasoning.budget": carried,
      "tool.strict": carried,
    },
    profile: { thinking: "budget" },
  },
  {
    // These take both forms; a budget is kept as it was given.
    models: name("(opus|sonnet|haiku)-4[-.]6"),
    changes: {
      "responseFormat.schema": carried,
      "reasoning.effort": carried,
      "reasoning.budget": carried,
      "tool.strict": carried,
    },
    profile: { thinking: "adaptive" },
  },
  {
    models: name("(opus|sonnet|haiku|fable)-(4[-.][7-9]|[5-9])"),
    changes: {
      "responseFormat.schema": carried,
      "reasoning.effort": carried,
      "reasoning.budget": emulated("the nearest effort"),
      "tool.strict": carried,
      "assistant.prefill": noPrefill,
      "assistant.last": noPrefill,
    },
    profile: { thinking: "adaptive" },
  },
  {
    models: name("opus-4[-.][78]|(opus|sonnet)-[5-9]|haiku-5[-.]5|haiku-[6-9]|fable"),
    changes: { temperature: ignored, topP: ignored, topK: ignored },
  },
  {
    models: name("(sonnet|opus)-5[-.]5|fable-5"),
    changes: { "reasoning.disabled": ignored },
    profile: { alwaysThinks: true },
  },
  {
    models: name("(sonnet|opus)-5[-.]5|fable-5[-.][12]"),
    changes: { "toolChoice.required": noForcedTools, "toolChoice.tool": noForcedTools },
  },
];

/** The column with what is different for this model. */
export function messagesSupportOf(model: string): SupportColumn {
  return messagesQuirks.reduce(
    (column, { models, changes }) =>
      changes !== undefined && models.test(model) ? withChanges(column, changes) : column,
    messagesSupport,
  );
}

export function messagesProfileOf(model: string): MessagesProfile {
  return messagesQuirks.reduce<MessagesProfile>(
    (profile, quirk) =>
      quirk.profile !== undefined && quirk.models.test(model) ? { ...profile, ...quirk.profile } : profile,
    { thinking: "adaptive", alwaysThinks: false },
  );
}

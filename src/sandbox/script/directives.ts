import { findDirectiveText } from "./directive-text.ts";
import { closingToolResults, type Prompt } from "../prompt.ts";
import { Refusal } from "../refusal.ts";
import { scriptSchema, type Script } from "./script.ts";

/** A prompt without its directives, and their script. */
export interface Directed {
  readonly prompt: Prompt;
  readonly script: Script;
}

/**
 * Collects the script of a request. Each source takes precedence over the one before: the model's script, the request's
 * `sandbox` field, the `[[sandbox: {...}]]` in the last user message.
 * Throws a 400 that names the field if a directive is invalid.
 */
export function readDirectives(prompt: Prompt, modelScript: Script, field: unknown): Directed {
  const last = prompt.messages.findLastIndex((message) => message.role === "user");
  const found = findDirectiveText(prompt.messages[last]?.text ?? "");
  const merged: Script = {
    ...modelScript,
    ...(field === undefined ? {} : checkScript(field, "sandbox")),
    ...(found === null ? {} : checkScript(parseDirective(found.json), "[[sandbox]]")),
  };
  const script = scriptOfTurn(merged, prompt, last);
  if (found === null) return { prompt, script };
  const messages = prompt.messages.map((message, index) =>
    index === last ? { ...message, text: found.remainingText } : message,
  );
  return { prompt: { ...prompt, messages }, script };
}

/** Validates a script. Throws a 400 that names the first invalid field. */
export function checkScript(value: unknown, source: string): Script {
  const checked = scriptSchema.safeParse(value);
  if (checked.success) return checked.data;
  const issue = checked.error.issues[0];
  const param = [source, ...(issue?.path ?? [])].join(".");
  throw new Refusal(400, `Invalid sandbox directive at '${param}': ${issue?.message ?? "not a script"}`, {
    code: "invalid_sandbox_directive",
    param,
  });
}

function parseDirective(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new Refusal(400, "Invalid sandbox directive: what follows '[[sandbox:' is not JSON closed by ']]'.", {
      code: "invalid_sandbox_directive",
      param: "[[sandbox]]",
    });
  }
}

/** The script for the current step of a tool loop: that of `turns`, and tool calls only once. */
function scriptOfTurn(script: Script, prompt: Prompt, lastUser: number): Script {
  const { turns, ...common } = script;
  const step = prompt.messages.slice(lastUser + 1).filter((message) => message.role === "assistant").length;
  const turn = turns?.[step];
  if (turn !== undefined) return { ...common, ...turn };
  if (closingToolResults(prompt).length === 0) return common;
  const { tool_calls: _made, ...afterwards } = common;
  return afterwards;
}

import { type Command, InvalidArgumentError, Option } from "commander";
import { isTagName, isTagValue } from "../../attribution/tag-grammar.ts";
import type { TagPolicy } from "../../attribution/tag-policy.ts";
import { commaList } from "../options.ts";

/** The options of a tag policy, as commander gives them. */
export interface TagOptions {
  readonly requireTag?: readonly string[];
  readonly allowTag?: TagPolicy["allowed"];
}

/** Adds `--require-tag` and `--allow-tag` to a command. */
export function addTagOptions(command: Command): Command {
  return command
    .addOption(new Option("--require-tag <name>", "a tag that every request must have (repeatable)").argParser(addName))
    .addOption(
      new Option("--allow-tag <name=values>", "the only values of a tag, such as env=prod,dev (repeatable)").argParser(
        addValues,
      ),
    );
}

/** The policy that options ask for; null if they ask for none. */
export function tagPolicyOf({ requireTag = [], allowTag = {} }: TagOptions): TagPolicy | null {
  const isEmpty = requireTag.length === 0 && Object.keys(allowTag).length === 0;
  return isEmpty ? null : { required: requireTag, allowed: allowTag };
}

/** A policy as `requires team; env=prod,dev`, or `none`. */
export function describePolicy(policy: TagPolicy | null): string {
  if (policy === null) return "none";
  const required = policy.required.length === 0 ? [] : [`requires ${policy.required.join(", ")}`];
  return [...required, ...Object.entries(policy.allowed).map(([name, values]) => `${name}=${values.join(",")}`)].join(
    "; ",
  );
}

function addName(text: string, before: readonly string[] = []): readonly string[] {
  if (!isTagName(text)) throw new InvalidArgumentError("Allowed: 1 to 64 characters from a-z, 0-9, '_', '.' and '-'.");
  return before.includes(text) ? before : [...before, text];
}

function addValues(text: string, before: TagPolicy["allowed"] = {}): TagPolicy["allowed"] {
  const equals = text.indexOf("=");
  const name = text.slice(0, Math.max(0, equals));
  const values = commaList(text.slice(equals + 1));
  if (!isTagName(name) || !values.every(isTagValue)) {
    throw new InvalidArgumentError("Allowed: a tag's name and its values, such as env=prod,dev.");
  }
  if (Object.hasOwn(before, name)) throw new InvalidArgumentError(`The tag '${name}' is given twice.`);
  return { ...before, [name]: values };
}

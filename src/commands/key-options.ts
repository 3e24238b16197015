import { InvalidArgumentError } from "commander";
import { keyIdOf } from "../access/key-format.ts";
import { CommandFailure } from "./exit-codes.ts";
import { commaList } from "./options.ts";

/** The endpoints that a key can be limited to, as the catalog's `supported_endpoint_types` names them. */
export const endpointNames = [
  "chat",
  "responses",
  "messages",
  "generate_content",
  "embeddings",
  "audio_speech",
  "audio_transcriptions",
  "audio_translations",
  "images_generations",
  "images_edits",
  "videos",
] as const;

/** Reads the name of a key. */
export function keyName(text: string): string {
  if (/^[^\p{C}]{1,100}$/u.test(text) && text.trim() !== "") return text.trim();
  throw new InvalidArgumentError("Allowed: 1 to 100 characters, none of them a control character.");
}

/** Reads the models a key may use: names, or `prefix/*` for all below a prefix. */
export function modelScopes(text: string): string[] {
  const scopes = commaList(text);
  const wrong = scopes.find(
    (scope) => !/^[^\s*\p{C}]{1,200}$/u.test(scope.endsWith("/*") ? scope.slice(0, -2) : scope),
  );
  if (wrong === undefined) return scopes;
  throw new InvalidArgumentError("Allowed: names of models, or prefix/* for all below a prefix. Leave it out for all.");
}

/** Reads the endpoints a key may use. */
export function endpointScopes(text: string): string[] {
  const names = commaList(text);
  const known: readonly string[] = endpointNames;
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length === 0) return names;
  throw new InvalidArgumentError(`Unknown: ${unknown.join(", ")}. Allowed: ${endpointNames.join(", ")}.`);
}

/** Reads a key's public id. A whole key stands for its id, so that its secret is not repeated in an error. */
export function keyId(text: string): string {
  return keyIdOf(text) ?? text;
}

/** The failure of a command whose key is not there. What is no id may be a mistyped secret, and is not shown. */
export function noSuchKey(id: string): CommandFailure {
  const shown = /^[\w-]{1,16}$/.test(id) ? id : "given";
  return new CommandFailure(`there is no key with the ID ${shown}. See: tollgate keys list`);
}

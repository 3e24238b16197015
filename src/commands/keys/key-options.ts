import { InvalidArgumentError } from "commander";
import { noTags, type Tags } from "../../attribution/attribution.ts";
import { readTag, tagForm } from "../../attribution/tag-grammar.ts";
import { allowedIpRange, maxIpRanges, readIpRange } from "../../access/ip-range.ts";
import { keyIdOf } from "../../access/key-format.ts";
import { endpointNames } from "../../dialects/registry.ts";
import { allowedKeyDomain, readKeyDomain } from "../../search/domains/key-domain.ts";
import { CommandFailure } from "../exit-codes.ts";
import { commaList } from "../options.ts";

/** Reads the name of a key. */
export function keyName(text: string): string {
  if (/^[^\p{C}]{1,100}$/u.test(text) && text.trim() !== "") return text.trim();
  throw new InvalidArgumentError("Allowed: 1 to 100 characters without control characters.");
}

/** Reads model scopes: names, or `prefix/*` for all models below a prefix. */
export function modelScopes(text: string): string[] {
  const scopes = commaList(text);
  const invalid = scopes.find(
    (scope) => !/^[^\s*\p{C}]{1,200}$/u.test(scope.endsWith("/*") ? scope.slice(0, -2) : scope),
  );
  if (invalid === undefined) return scopes;
  throw new InvalidArgumentError(
    "Allowed: model names, or prefix/* for all models below a prefix. Omit the option to allow all.",
  );
}

/** Reads endpoint scopes. */
export function endpointScopes(text: string): string[] {
  const names = commaList(text);
  const unknown = names.filter((name) => !endpointNames.includes(name));
  if (unknown.length === 0) return names;
  throw new InvalidArgumentError(`Unknown: ${unknown.join(", ")}. Allowed: ${endpointNames.join(", ")}.`);
}

/** Reads the domains that searches are limited to. */
export function domainScopes(text: string): string[] {
  return commaList(text).map((entry) => {
    const domain = readKeyDomain(entry);
    if (domain === null) throw new InvalidArgumentError(`'${entry.slice(0, 100)}' is not ${allowedKeyDomain}.`);
    return domain;
  });
}

/** Reads the addresses that a key may be used from. */
export function ipScopes(text: string): string[] {
  const ranges = commaList(text).map((entry) => {
    const range = readIpRange(entry);
    if (range === null) throw new InvalidArgumentError(`'${entry.slice(0, 100)}' is not ${allowedIpRange}.`);
    return range;
  });
  if (ranges.length <= maxIpRanges) return ranges;
  throw new InvalidArgumentError(`Allowed: at most ${maxIpRanges} ranges.`);
}

/** Reads a fixed tag, and adds it to those of the options before it. */
export function addTag(text: string, before: Tags = noTags): Tags {
  const tag = readTag(text);
  if (tag === null) throw new InvalidArgumentError(`Allowed: ${tagForm}.`);
  const [name, value] = tag;
  if (Object.hasOwn(before, name)) throw new InvalidArgumentError(`The tag '${name}' is given twice.`);
  return { ...before, [name]: value };
}

/** Reads a key's public id. Accepts a whole key, and drops the secret so that no error contains it. */
export function keyId(text: string): string {
  return keyIdOf(text) ?? text;
}

/** The failure for an unknown key. A text that is not an id may be a mistyped secret and is not shown. */
export function unknownKey(id: string): CommandFailure {
  const shown = /^[\w-]{1,16}$/.test(id) ? ` ${id}` : "";
  return new CommandFailure(`unknown key ID${shown}. See: tollgate keys list`);
}

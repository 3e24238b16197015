import { optionalObject } from "../dialects/fields/read-field.ts";
import type { Unknown } from "../dialects/fields/unknown-fields.ts";
import { unsupportedParameter } from "../errors.ts";
import { isObject, type JsonObject } from "../json/values.ts";
import type { SearchProvider } from "./provider.ts";
import { findSearchProvider } from "./providers/registry.ts";

/** Parts of names that mean a credential, an address or a rule of domains, whatever the provider. Without `_` and `-`. */
const reservedEverywhere =
  /^(apikeys?|key|token|secret|password|auth|authorization|credentials?|xapikey|bearer|baseurl|apibase|endpoint|host|urls?|proxy|headers?|webhook.*|callback.*)$|domain|^sites?$|^xsite$/;

/**
 * The caller's options for each provider. Names that would change routing, credentials, addresses or domain rules are
 * refused for every provider, since it is not known yet which will be asked.
 * @throws a 400 that names the option
 */
export function readProviderOptions(value: unknown, unknown: Unknown): Readonly<Record<string, JsonObject>> {
  const given = optionalObject(value, "provider_options") ?? {};
  const options: [name: string, options: JsonObject][] = [];
  for (const [name, item] of Object.entries(given)) {
    const path = `provider_options.${name.slice(0, 64)}`;
    const own = optionalObject(item, path);
    if (own === undefined) continue;
    const provider = findSearchProvider(name);
    if (provider === null) {
      unknown.push(path);
      continue;
    }
    checkNames(own, provider, path);
    options.push([name, own]);
  }
  return Object.fromEntries(options);
}

/** Names within objects are checked too: some providers keep their domain rules there. */
function checkNames(options: JsonObject, provider: SearchProvider, path: string): void {
  for (const [name, value] of Object.entries(options)) {
    const place = `${path}.${name.slice(0, 64)}`;
    if (provider.reservedOptions.includes(name) || reservedEverywhere.test(simplified(name))) {
      throw unsupportedParameter(place, `'${place}' is decided by the gateway and cannot be set.`);
    }
    for (const item of Array.isArray(value) ? value : [value]) if (isObject(item)) checkNames(item, provider, place);
  }
}

function simplified(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

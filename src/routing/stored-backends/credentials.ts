import { isObject, listOrEmpty } from "../../json/values.ts";
import type { Sealer } from "../../secrets/seal.ts";
import type { SealedFields } from "./backend-store.ts";

/** What may be secret of a backend. */
export interface Credentials {
  readonly apiKeys: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
}

type Part = keyof SealedFields;

/** A sealed text opens only for the backend, and the field, that it was sealed for. */
function placeOf(id: string, part: Part): string {
  return `search-backend/${id}/${part}`;
}

/** Seals one part; null if there is nothing in it. @throws SealError if there is no key */
export function sealPart<Of extends Part>(sealer: Sealer, id: string, part: Of, value: Credentials[Of]): string | null {
  if (Object.keys(value).length === 0) return null;
  return sealer.seal(JSON.stringify(value), placeOf(id, part));
}

/** The credentials of a backend. @throws SealError if they cannot be opened */
export function openCredentials(sealer: Sealer, id: string, { apiKeys, headers }: SealedFields): Credentials {
  const open = (part: Part, sealed: string | null): unknown => {
    return sealed === null ? null : JSON.parse(sealer.open(sealed, placeOf(id, part)));
  };
  // Only `sealPart` above writes them.
  const opened = { apiKeys: listOrEmpty(open("apiKeys", apiKeys)), headers: open("headers", headers) };
  return {
    apiKeys: opened.apiKeys.filter((key) => typeof key === "string"),
    headers: (isObject(opened.headers) ? opened.headers : {}) as Credentials["headers"],
  };
}

/** The same, sealed with the key in force if it was sealed with an earlier one that is still known. */
export function resealed(sealer: Sealer, id: string, sealed: SealedFields): SealedFields {
  const renew = (part: Part): string | null => {
    const text = sealed[part];
    if (text === null || sealer.isCurrent(text)) return text;
    try {
      return sealer.seal(sealer.open(text, placeOf(id, part)), placeOf(id, part));
    } catch {
      // It stays as it is: its key may be set again.
      return text;
    }
  };
  return { apiKeys: renew("apiKeys"), headers: renew("headers") };
}

import { isObject, listOrEmpty } from "../../json/values.ts";
import type { Sealer } from "../../secrets/seal.ts";

/** What may be secret of a stored provider or search backend. */
export interface Credentials {
  readonly apiKeys: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  /** What the provider signs its webhooks with; null if it sends none. */
  readonly webhookSecret: string | null;
}

/** The same as it is stored: each is JSON, sealed for its place; null or absent if there is none. */
export interface SealedFields {
  /** A list of keys. */
  readonly apiKeys: string | null;
  /** A map of names to values. */
  readonly headers: string | null;
  readonly webhookSecret?: string | null;
}

export const noSealedFields: SealedFields = { apiKeys: null, headers: null };

type Part = keyof SealedFields;

/** Seals credentials of one owner, named by its place in the storage: `search-backend/main`, `provider/openai`. */
export interface CredentialSealer {
  readonly sealer: Sealer;
  readonly place: string;
}

/** A sealed text opens only for the owner, and the field, that it was sealed for. */
function placeOf(place: string, part: Part): string {
  return `${place}/${part}`;
}

/** Seals one part; null if there is nothing in it. @throws SealError if there is no key */
export function sealPart<Of extends Part>(
  { sealer, place }: CredentialSealer,
  part: Of,
  value: Credentials[Of],
): string | null {
  if (value === null || Object.keys(value).length === 0) return null;
  return sealer.seal(JSON.stringify(value), placeOf(place, part));
}

/** The credentials of an owner. @throws SealError if they cannot be opened */
export function openCredentials(
  { sealer, place }: CredentialSealer,
  { apiKeys, headers, webhookSecret = null }: SealedFields,
): Credentials {
  const open = (part: Part, sealed: string | null): unknown => {
    return sealed === null ? null : JSON.parse(sealer.open(sealed, placeOf(place, part)));
  };
  // Only `sealPart` above writes them.
  const opened = { apiKeys: listOrEmpty(open("apiKeys", apiKeys)), headers: open("headers", headers) };
  const secret = open("webhookSecret", webhookSecret);
  return {
    apiKeys: opened.apiKeys.filter((key) => typeof key === "string"),
    headers: (isObject(opened.headers) ? opened.headers : {}) as Credentials["headers"],
    webhookSecret: typeof secret === "string" ? secret : null,
  };
}

/** One part, sealed with the key in force if it was sealed with an earlier one that is still known. */
export function resealed({ sealer, place }: CredentialSealer, sealed: SealedFields, part: Part): string | null {
  const text = sealed[part] ?? null;
  if (text === null || sealer.isCurrent(text)) return text;
  try {
    return sealer.seal(sealer.open(text, placeOf(place, part)), placeOf(place, part));
  } catch {
    // It stays as it is: its key may be set again.
    return text;
  }
}

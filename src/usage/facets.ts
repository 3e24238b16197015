import { textToTags } from "../attribution/attribution.ts";

/** Something that says for whom a request was: `tag:NAME`, `end_user` or `session`. */
export type FacetName = `tag:${string}` | "end_user" | "session";

/** A facet with its value. */
export interface Facet {
  readonly name: FacetName;
  readonly value: string;
}

interface Attributed {
  readonly tags: string | null;
  readonly endUser: string | null;
  readonly session: string | null;
}

const none: readonly Facet[] = [];

/** All facets that a record has. */
export function facetsOf({ tags, endUser, session }: Attributed): readonly Facet[] {
  if (tags === null && endUser === null && session === null) return none;
  const facets: Facet[] = [];
  if (tags !== null) {
    for (const [name, value] of Object.entries(textToTags(tags))) {
      facets.push({ name: `tag:${name}`, value: facetValue(value) });
    }
  }
  if (endUser !== null) facets.push({ name: "end_user", value: facetValue(endUser) });
  if (session !== null) facets.push({ name: "session", value: facetValue(session) });
  return facets;
}

/** Characters of a value in a sum: more, beside the other names, and an index would not hold it. */
const maxValue = 200;

/** The value by which sums are told apart: a long one is cut, and marked by its hash. */
export function facetValue(value: string): string {
  if (value.length <= maxValue) return value;
  const hash = new Bun.CryptoHasher("sha256").update(value).digest("hex").slice(0, 32);
  return `${value.slice(0, maxValue - 33).toWellFormed()}~${hash}`;
}

/** The name as a facet; null if it is none. */
export function asFacetName(name: string): FacetName | null {
  if (name === "end_user" || name === "session") return name;
  return /^tag:.{1,256}$/s.test(name) ? (name as FacetName) : null; // As the pattern says.
}

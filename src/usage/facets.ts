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
      facets.push({ name: `tag:${name}`, value });
    }
  }
  if (endUser !== null) facets.push({ name: "end_user", value: endUser });
  if (session !== null) facets.push({ name: "session", value: session });
  return facets;
}

/** The name as a facet; null if it is none. */
export function asFacetName(name: string): FacetName | null {
  if (name === "end_user" || name === "session") return name;
  return /^tag:[^\0]{1,256}$/.test(name) ? (name as FacetName) : null; // As the pattern says.
}

/** The tags of a request or key by name: `{"team": "search"}`. Names may be those of `Object.prototype`. */
export type Tags = Readonly<Record<string, string>>;

/** For whom a request was made, as far as its key and its caller say. */
export interface Attribution {
  /** The tags in their canonical text; null if there are none. */
  readonly tags: string | null;
  readonly endUser: string | null;
  readonly session: string | null;
}

export const unattributed: Attribution = { tags: null, endUser: null, session: null };

export const noTags: Tags = Object.freeze({});

/** The canonical text of tags: a JSON object with sorted names and no blanks, so that equal tags are equal text. */
export function tagsToText(tags: Tags): string | null {
  return entriesToText(Object.entries(tags));
}

/** As `tagsToText`, of the name and the value of each tag. The list is sorted in place. */
export function entriesToText(entries: [name: string, value: string][]): string | null {
  if (entries.length === 0) return null;
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(",")}}`;
}

/** The tags of a canonical text. */
export function textToTags(text: string | null): Tags {
  // Only `tagsToText` writes it.
  return text === null ? noTags : (JSON.parse(text) as Tags);
}

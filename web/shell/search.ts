/** What stands behind the `?` of an address: plain texts, so that an address can be read and written by hand. */
export type Search = Readonly<Partial<Record<string, string>>>;

export function readSearch(text: string): Search {
  return Object.fromEntries(new URLSearchParams(text));
}

export function writeSearch(search: Readonly<Record<string, unknown>>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (typeof value === "string" && value !== "") parameters.set(name, value);
  }
  const text = parameters.toString();
  return text === "" ? "" : `?${text}`;
}

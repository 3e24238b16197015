/** A query without its `site:` operators, and what they say. */
export interface SiteQuery {
  readonly query: string;
  readonly includeDomains: readonly string[];
  readonly excludeDomains: readonly string[];
}

const operator = /(?<=^|[\s(])(-?)site:([^\s()]+)/g;

/** Reads the operators that vendors without parameters for domains have: `(site:a.test OR site:b.test) -site:c.test`. */
export function readSiteOperators(text: string): SiteQuery {
  const found = [...text.matchAll(operator)];
  const domains = (sign: string) => found.filter(([, own]) => own === sign).map(([, , domain = ""]) => domain);
  return {
    query: text.replace(operator, " ").replace(/[()]/g, " ").trim(),
    includeDomains: domains(""),
    excludeDomains: domains("-"),
  };
}

/** Whether the text has an operator of search engines: `site:` and the like, quotes, `OR`. */
export function hasOperators(text: string): boolean {
  return /(^|[\s(])-?[a-z]+:\S|"|\sOR\s/.test(text);
}

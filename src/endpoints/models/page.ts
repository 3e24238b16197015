import { invalidParameter } from "../../errors.ts";

/** Lists are short, so a caller who does not ask for pages is given all. */
export const maxOnPage = 1_000;

/** How many items a caller wants on one page. Throws a 400 naming the parameter. */
export function readPageSize(query: URLSearchParams, name: string): number {
  const text = query.get(name);
  if (text === null) return maxOnPage;
  const size = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (size < 1 || size > maxOnPage) throw invalidParameter(name, `a whole number from 1 to ${maxOnPage}`);
  return size;
}

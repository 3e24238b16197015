import { Refusal } from "../refusal.ts";
import type { Page } from "./page.ts";
import { pages } from "./pages.ts";

/** A page as a vendor finds it at an address. */
export interface FoundPage {
  /** As it was asked for. */
  readonly asked: string;
  /** Where it is in the end. */
  readonly url: string;
  /** Null if there is none. */
  readonly page: Page | null;
}

/**
 * The page of the corpus at an address, whatever the spelling of its scheme and end. `/redirect?to=...` on any host leads to
 * another address, `/long?characters=...` is a page of that length, and `/slow` is one that is never there in time.
 */
export function fetchPage(asked: string): FoundPage {
  const url = new URL(asked);
  const to = url.pathname === "/redirect" ? url.searchParams.get("to") : null;
  if (to !== null) {
    const page = pageAt(to) ?? { title: "Elsewhere", url: to, text: "A page elsewhere.", isNews: false, ageDays: 400 };
    return { asked, url: to, page };
  }
  if (url.pathname === "/long") {
    const text = "x".repeat(Math.min(20_000_000, Number(url.searchParams.get("characters"))));
    return { asked, url: asked, page: { title: "A long page", url: asked, text, isNews: false, ageDays: 400 } };
  }
  return { asked, url: asked, page: pageAt(asked) };
}

/** Whether the page takes longer than any vendor waits. */
export function isSlow({ url }: FoundPage): boolean {
  return new URL(url).pathname === "/slow";
}

/** Its title and text as Markdown, or as text alone. */
export function writtenPage({ title, text }: Page, format: "markdown" | "text" = "markdown"): string {
  return format === "markdown" ? `# ${title}\n\n${text}` : `${title}\n\n${text}`;
}

function pageAt(address: string): Page | null {
  const wanted = spelled(address);
  return pages.find(({ url }) => spelled(url) === wanted) ?? null;
}

function spelled(address: string): string {
  const { host, pathname } = new URL(address);
  return `${host}${pathname.replace(/\/$/, "")}`;
}

/** The addresses of a body: each a text that is an http or https address. @param status of the vendor's refusal */
export function requiredUrls(value: unknown, name: string, max: number, status = 400): readonly string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  if (list.length === 0 || list.length > max) {
    throw new Refusal(status, `${name} must be a list of 1 to ${max} URLs`, { param: name });
  }
  return list.map((entry) => requiredUrl(entry, name, status));
}

export function requiredUrl(value: unknown, name: string, status = 400): string {
  if (typeof value === "string" && /^https?:\/\//.test(value) && URL.canParse(value)) return value;
  throw new Refusal(status, `Invalid URL in ${name}`, { param: name });
}

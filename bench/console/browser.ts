import { type BrowserContext, chromium, type Page } from "playwright-core";
import type { BenchGateway } from "./gateway.ts";

/** A browser in which the owner has signed in. */
export interface BenchBrowser {
  /** A page of a browser with an empty cache. */
  open(): Promise<{ readonly page: Page; readonly context: BrowserContext }>;
  close(): Promise<void>;
}

export async function openBrowser({ url, owner }: BenchGateway): Promise<BenchBrowser> {
  const browser = await chromium.launch({
    executablePath: Bun.which("chromium") ?? "chromium",
    args: ["--no-sandbox"],
  });
  const first = await browser.newContext();
  const headers = { origin: url, "sec-fetch-site": "same-origin" };
  const answer = await first.request.post(`${url}/console/auth/sign-in/email`, { data: owner, headers });
  if (answer.status() !== 200) throw new Error(`The sign-in was answered with ${answer.status()}.`);
  const storageState = await first.storageState();
  await first.close();
  return {
    async open() {
      const context = await browser.newContext({ storageState, viewport: { width: 1440, height: 900 } });
      context.setDefaultTimeout(60_000);
      return { context, page: await context.newPage() };
    },
    close: () => browser.close(),
  };
}

/**
 * Goes to an address within the console, as its links do, and returns the milliseconds until something else is shown there:
 * from the click to the frame after which it is on the screen.
 * @param path below `/console`
 * @param shown a selector; what it finds must not be what it found before
 */
export async function goWithin(page: Page, path: string, shown: string): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve, reject) => {
    const find = () => document.querySelector(${JSON.stringify(shown)});
    const before = find();
    const startedAt = performance.now();
    const limit = startedAt + 30_000;
    history.pushState({}, "", ${JSON.stringify(`/console${path}`)});
    dispatchEvent(new PopStateEvent("popstate", { state: history.state }));
    const look = () => {
      const found = find();
      if (found !== null && found !== before) {
        return requestAnimationFrame(() => resolve(performance.now() - startedAt));
      }
      if (performance.now() > limit) return reject(new Error("nothing was shown at ${path}"));
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  })`);
}

/** What frames took while a page was scrolled, in milliseconds. */
export interface Frames {
  readonly count: number;
  readonly longest: number;
  /** Those of over 50 ms. */
  readonly long: number;
  /** The rows that were passed. */
  readonly rows: number;
}

/** Scrolls the list of requests down for some seconds, a screen or so in each five frames. */
export async function scroll(page: Page, seconds: number): Promise<Frames> {
  return page.evaluate<Frames>(`new Promise((resolve) => {
    const list = document.querySelector("[role=table]");
    const from = list.scrollTop;
    const startedAt = performance.now();
    let last = startedAt, count = 0, longest = 0, long = 0;
    const frame = (now) => {
      const took = now - last;
      last = now;
      if (count > 0) { longest = Math.max(longest, took); if (took > 50) long += 1; }
      count += 1;
      list.scrollTop += 150;
      if (now - startedAt < ${seconds * 1_000}) return requestAnimationFrame(frame);
      resolve({ count, longest, long, rows: Math.round((list.scrollTop - from) / 36) });
    };
    requestAnimationFrame(frame);
  })`);
}

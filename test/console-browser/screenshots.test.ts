import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { type DrivenConsole, type DrivenPage, driveConsole, type Screen, whyNoBrowser } from "./browser.testkit.ts";
import { fillGateway } from "./records.testkit.ts";
import {
  comparePicture,
  drawFrom,
  fingerprintOfBrowser,
  type Kept,
  openAt,
  readKept,
  writeKept,
} from "./screenshots.testkit.ts";

/** A page: its path, a text that it shows, and what is done before it is drawn. */
interface Picture {
  readonly path: string;
  readonly shows: string;
  readonly prepare?: (page: Page) => Promise<unknown>;
  /** It is drawn at 360 pixels in the dark theme too. */
  readonly narrow?: true;
}

const pictures: Readonly<Record<string, Picture>> = {
  overview: { path: "", shows: "sandbox-chat", narrow: true },
  requests: {
    path: "/requests",
    shows: "sandbox-chat",
    narrow: true,
    prepare: async (page) => {
      await page.locator("[data-row]").last().click();
      await page.getByRole("dialog").getByText("Request id").waitFor();
    },
  },
  keys: { path: "/keys", shows: "Support chat", narrow: true },
  explorer: { path: "/explorer", shows: "The answer is streamed here", narrow: true },
  backends: { path: "/search-backends", shows: "Sandbox search", narrow: true },
  models: { path: "/models", shows: "sandbox-chat" },
  prices: { path: "/prices", shows: "In force" },
  accounts: { path: "/accounts", shows: "Team A" },
  audit: { path: "/audit", shows: "No audits yet" },
  changes: { path: "/changes", shows: "API key" },
  jobs: { path: "/jobs", shows: "Video jobs" },
  settings: { path: "/settings", shows: "Owner" },
  api: { path: "/api", shows: "/v1/chat/completions" },
};

const updates = process.env["UPDATE_SCREENSHOTS"] === "1";
const fingerprint = whyNoBrowser === null ? await fingerprintOfBrowser() : "";
const kept = await readKept();
const whyNoPictures = reason();
if (whyNoPictures !== null) process.stderr.write(`The pictures are not compared: ${whyNoPictures}\n`);

/** Why no pictures can be compared here; null if they can. */
function reason(): string | null {
  if (whyNoBrowser !== null || updates) return whyNoBrowser;
  if (kept === null) return "none are kept.";
  if (kept.fingerprint === fingerprint) return null;
  return `they were drawn by ${kept.fingerprint}, and here is ${fingerprint}.`;
}

describe.skipIf(whyNoPictures !== null)("the pictures of the console", () => {
  let driven: DrivenConsole;
  let drawnWith: Kept;
  const screens = { wide: { width: 1440, theme: "light" }, narrow: { width: 360, theme: "dark" } } as const;
  let pages: Readonly<Record<keyof typeof screens, DrivenPage>>;
  beforeAll(async () => {
    driven = await driveConsole();
    const open = async (screen: Screen) => (updates ? driven.asOwner(screen) : driven.open(screen));
    pages = { wide: await open(screens.wide), narrow: await open(screens.narrow) };
    if (updates) await fillGateway(driven.console.gateway);
    // A moment later than the last record.
    drawnWith = updates || kept === null ? { fingerprint, time: Date.now() + 2000, answers: {} } : kept;
    for (const page of Object.values(pages)) await drawFrom(page, driven.url, drawnWith, updates);
  });
  afterAll(async () => {
    if (updates) await writeKept(drawnWith);
    await driven?.stop();
  });

  const check = async (screen: keyof typeof screens, name: string, picture: Picture) => {
    const { page, faults } = pages[screen];
    faults.length = 0;
    await openAt(page, picture.path);
    await page.getByText(picture.shows).first().waitFor({ state: "attached" });
    await picture.prepare?.(page);
    const difference = await comparePicture(page, `${name}-${screen}`, updates);
    expect([...faults, ...(difference === null ? [] : [difference])]).toEqual([]);
  };

  test.each(Object.entries(pictures))("%s, wide and light", async (name, picture) => {
    await check("wide", name, picture);
  });

  const narrow = Object.entries(pictures).filter(([, picture]) => picture.narrow);
  test.each(narrow)("%s, narrow and dark", async (name, picture) => {
    await check("narrow", name, picture);
  });

  for (const screen of ["wide", "narrow"] as const) {
    test(`sign-in, ${screen}`, async () => {
      const { page, go, faults, context } = await driven.open(screens[screen]);
      await go("/sign-in");
      await page.getByLabel("Password").waitFor();
      const difference = await comparePicture(page, `sign-in-${screen}`, updates);
      await context.close();
      expect([...faults, ...(difference === null ? [] : [difference])]).toEqual([]);
    });
  }
});

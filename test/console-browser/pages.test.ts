import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { seriousFaults } from "./axe.testkit.ts";
import { type DrivenConsole, driveConsole, whyNoBrowser } from "./browser.testkit.ts";
import { fillGateway, hostile } from "./records.testkit.ts";

const pages = {
  overview: { path: "", shows: "sandbox-chat" },
  requests: { path: "/requests", shows: "sandbox-chat" },
  keys: { path: "/keys", shows: "Support chat" },
  explorer: { path: "/explorer", shows: "The answer is streamed here" },
  "search backends": { path: "/search-backends", shows: "Sandbox search" },
  models: { path: "/models", shows: "sandbox-chat" },
  prices: { path: "/prices", shows: "In force" },
  accounts: { path: "/accounts", shows: "Team A" },
  audit: { path: "/audit", shows: "No audits yet" },
  changes: { path: "/changes", shows: "API key" },
  jobs: { path: "/jobs", shows: "Video jobs" },
  settings: { path: "/settings", shows: "Owner" },
  API: { path: "/api", shows: "/v1/chat/completions" },
  "sign-in": { path: "/sign-in", shows: "Password" },
} as const;

describe.skipIf(whyNoBrowser !== null)("the pages of the console", () => {
  let driven: DrivenConsole;
  beforeAll(async () => {
    driven = await driveConsole();
    await driven.asOwner();
    await fillGateway(driven.console.gateway);
  });
  afterAll(() => driven?.stop());

  for (const width of [1440, 360] as const) {
    for (const theme of ["light", "dark"] as const) {
      test(`at ${width} pixels, ${theme}: no serious fault for anyone, no sideways scrolling, no error`, async () => {
        const { page, faults, go, context } = await driven.asOwner({ width, theme });
        for (const [name, { path, shows }] of Object.entries(pages)) {
          await go(path);
          await page.getByText(shows).first().waitFor({ state: "attached" });
          expect([name, await seriousFaults(page)]).toEqual([name, []]);
          expect([name, await page.evaluate("document.documentElement.scrollWidth <= innerWidth")]).toEqual([
            name,
            true,
          ]);
        }
        expect(faults).toEqual([]);
        await context.close();
      });
    }
  }

  test("texts that callers chose are shown as texts, and run nothing", async () => {
    const { page, faults, go, context } = await driven.asOwner();
    const seen: string[] = [];
    for (const [name, { path }] of Object.entries(pages)) {
      await go(path);
      if ((await page.getByText(hostile).count()) > 0) seen.push(name);
    }
    await go("/requests?range=1h");
    await page.getByText(hostile).first().click();
    await page.getByRole("dialog").getByText("Request id").waitFor();
    expect(await page.evaluate("window.hasRun")).toBeUndefined();
    expect(seen).toEqual(["overview", "requests", "keys", "search backends", "accounts", "jobs"]);
    expect(faults).toEqual([]);
    await context.close();
  });
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { BrowserContext, Page } from "playwright-core";
import { type DrivenConsole, driveConsole, signIn, whyNoBrowser } from "./browser.testkit.ts";

/** A script of the page that reads all that a browser keeps of it. */
const readAll = `(async () => ({
  localStorage: JSON.stringify({ ...localStorage }),
  sessionStorage: JSON.stringify({ ...sessionStorage }),
  indexedDB: JSON.stringify(await indexedDB.databases()),
  caches: JSON.stringify(await caches.keys()),
  address: location.href,
  history: JSON.stringify(history.state),
  cookie: document.cookie,
  window: window.name,
  document: document.documentElement.outerHTML,
}))()`;

/** Where the key of the explorer goes: into the header of its calls, and nowhere else. */
describe.skipIf(whyNoBrowser !== null)("the key of the explorer", () => {
  let driven: DrivenConsole;
  beforeAll(async () => {
    driven = await driveConsole();
    await driven.asOwner();
  });
  afterAll(() => driven?.stop());

  /** All that a browser keeps of a page, as text. */
  const keptBy = async (page: Page, context: BrowserContext): Promise<Record<string, string>> => {
    const inPage = await page.evaluate<Record<string, string>>(readAll);
    return { ...inPage, cookies: JSON.stringify(await context.cookies()) };
  };
  const placesOf = (kept: Record<string, string>, key: string) =>
    Object.entries(kept).flatMap(([place, content]) => (content.includes(key) ? [place] : []));

  test("is in the header of the calls alone: in no other request, storage, address or page", async () => {
    const { page, context, go, faults } = await driven.asOwner();
    const { key } = driven.console.gateway;
    const found: Promise<readonly string[]>[] = [];
    context.on("request", (request) => {
      const place = async () => {
        const path = new URL(request.url()).pathname;
        const headers = Object.entries(await request.allHeaders());
        const inHeaders = headers.filter(([, value]) => value.includes(key)).map(([name]) => `${path} ${name}`);
        const inUrl = request.url().includes(key) ? [`${path} address`] : [];
        const inBody = request.postDataBuffer()?.includes(key) === true ? [`${path} body`] : [];
        return [...inHeaders, ...inUrl, ...inBody];
      };
      found.push(place());
    });
    await go("/explorer");
    await page.getByLabel("API key").fill(key);
    await page.getByRole("textbox", { name: "Message" }).fill("Hello!");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("button", { name: "Record" }).click();
    await page.getByRole("region", { name: "Record" }).getByText("Total", { exact: true }).waitFor();
    await page.getByRole("log").getByRole("button", { name: "Code" }).click();
    await page.getByRole("dialog").getByText("YOUR_API_KEY").first().waitFor();
    expect(placesOf(await keptBy(page, context), key)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Video" }).click();
    await page.getByLabel("What the video shows").fill("Waves");
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByText("Complete", { exact: true }).waitFor();
    await page.getByLabel("Video of: Waves").waitFor();
    const names = await page.getByRole("navigation").getByRole("link").allTextContents();
    expect(names.length).toBeGreaterThan(8);
    for (const name of names) {
      await page.getByRole("navigation").getByRole("link", { name, exact: true }).click();
      await page.waitForLoadState("networkidle");
      expect([name, ...placesOf(await keptBy(page, context), key)]).toEqual([name]);
    }
    // It is still there for the next call.
    await page.getByRole("navigation").getByRole("link", { name: "Explorer" }).click();
    expect(await page.getByLabel("API key").inputValue()).toBe(key);
    const places = new Set((await Promise.all(found)).flat().map((place) => place.replace(/video_\w+/, "ID")));
    expect([...places].sort()).toEqual([
      "/v1/chat/completions authorization",
      "/v1/videos authorization",
      "/v1/videos/ID authorization",
      "/v1/videos/ID/content authorization",
    ]);
    await page.reload({ waitUntil: "networkidle" });
    expect(await page.getByLabel("API key").inputValue()).toBe("");
    expect(faults).toEqual([]);
    await context.close();
  });

  test("is kept in this browser if it is asked for, and goes with the sign-out", async () => {
    const { page, context, go } = await driven.asOwner();
    const { key } = driven.console.gateway;
    await go("/explorer");
    await page.getByLabel("API key").fill(key);
    await page.getByLabel("Keep it in this browser").check();
    expect(placesOf(await keptBy(page, context), key)).toEqual(["localStorage"]);
    await page.reload({ waitUntil: "networkidle" });
    expect(await page.getByLabel("API key").inputValue()).toBe(key);
    await page.getByLabel("Keep it in this browser").uncheck();
    expect(placesOf(await keptBy(page, context), key)).toEqual([]);
    await page.getByLabel("Keep it in this browser").check();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(placesOf(await keptBy(page, context), key)).toEqual([]);
    await context.close();
  });

  test("belongs to its user, and goes once the session has ended elsewhere", async () => {
    const { page, context, go } = await driven.asOwner();
    const { key } = driven.console.gateway;
    await go("/explorer");
    await page.getByLabel("API key").fill(key);
    await page.getByLabel("Keep it in this browser").check();
    const owner = driven.console.browser();
    await owner.signIn("owner@example.com");
    await driven.console.invited(owner, { email: "second@example.com", role: "operator" });
    // The session's cookie goes, and the memory of the page stays.
    await context.clearCookies();
    await page.getByRole("navigation").getByRole("link", { name: "API Keys" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(placesOf(await keptBy(page, context), key)).toEqual([]);
    await page.getByLabel("Email").fill("second@example.com");
    await page.getByLabel("Password").fill("a long password of tests");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("navigation").getByRole("link", { name: "Explorer" }).click();
    expect(await page.getByLabel("API key").inputValue()).toBe("");
    await context.close();
  });

  test("that another user has kept is not shown, and is removed", async () => {
    const opened = await driven.asOwner();
    const { key } = driven.console.gateway;
    await opened.go("/explorer");
    await opened.page.getByLabel("API key").fill(key);
    await opened.page.getByLabel("Keep it in this browser").check();
    await signIn(opened, driven.url, "second@example.com");
    await opened.page.reload({ waitUntil: "networkidle" });
    expect(await opened.page.getByLabel("API key").inputValue()).toBe("");
    expect(placesOf(await keptBy(opened.page, opened.context), key)).toEqual([]);
    await opened.context.close();
  });
});

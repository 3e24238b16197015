import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startReceiver } from "../../src/webhooks/receiver.testkit.ts";
import { until } from "../until.testkit.ts";
import { type ShownVideo, videosOf } from "../videos/videos.testkit.ts";
import { seriousFaults } from "./axe.testkit.ts";
import { type DrivenConsole, driveConsole, signIn, whyNoBrowser } from "./browser.testkit.ts";
import { fillGateway, hostile } from "./records.testkit.ts";

describe.skipIf(whyNoBrowser !== null)("the tools of the console", () => {
  const receiver = startReceiver();
  const webhook = {
    accountId: null,
    url: `${receiver.url}/hook`,
    secret: `whsec_${Buffer.alloc(24, 5).toString("base64")}`,
    events: ["video.*"],
    allowPrivate: true,
  };
  let driven: DrivenConsole;
  beforeAll(async () => {
    driven = await driveConsole({ webhooks: [webhook] });
    await (await driven.asOwner()).context.close();
    await fillGateway(driven.console.gateway);
  });
  afterAll(async () => {
    await driven?.stop();
    await receiver.stop();
  });

  /** The navigation's names of the pages. */
  const shortcuts = {
    o: "Overview",
    r: "Requests",
    k: "API Keys",
    e: "Explorer",
    b: "Search backends",
    m: "Providers and models",
    p: "Price lists",
    a: "Accounts",
    u: "Audit",
    c: "Changes",
    j: "Jobs",
    s: "Settings",
    d: "API",
  };

  test("each shortcut goes to its page, and none while something is typed", async () => {
    const { page, faults, go, context } = await driven.asOwner();
    await go("");
    for (const [key, name] of Object.entries(shortcuts)) {
      await page.keyboard.press("g");
      await page.keyboard.press(key);
      const title = name === "Jobs" ? "Jobs and files" : name;
      await page.getByRole("heading", { level: 1, name: title, exact: true }).waitFor();
    }
    await go("/keys");
    await page.keyboard.press("/");
    const field = page.getByRole("searchbox");
    expect(await field.evaluate((element) => element === element.ownerDocument.activeElement)).toBeTrue();
    await page.keyboard.type("gr?");
    expect(await field.inputValue()).toBe("gr?");
    expect(await page.getByRole("dialog").count()).toBe(0);
    expect(faults).toEqual([]);
    await context.close();
  });

  test("the help names all shortcuts, and a member's help those of its pages alone", async () => {
    const { page, go, context } = await driven.asOwner();
    await go("");
    await page.keyboard.press("?");
    for (const [key, name] of Object.entries(shortcuts)) {
      await page.getByRole("dialog").getByText(`g ${key}`, { exact: true }).waitFor();
      await page.getByRole("dialog").getByText(`Go to ${name}`, { exact: true }).waitFor();
    }
    await context.close();
    const owner = driven.console.browser();
    await owner.signIn("owner@example.com");
    await driven.console.invited(owner, { email: "member@example.com", role: "member", account_id: "team-a" });
    const member = await driven.open();
    await signIn(member, driven.url, "member@example.com");
    await member.go("");
    await member.page.keyboard.press("?");
    await member.page.getByRole("dialog").getByText("Go to Explorer").waitFor();
    expect(await member.page.getByRole("dialog").getByText("Go to API Keys").count()).toBe(0);
    await member.page.keyboard.press("Escape");
    await member.page.keyboard.press("Control+k");
    await member.page.keyboard.type("create");
    await member.page.getByText("Nothing has this name.").waitFor();
    await member.context.close();
  });

  test("the palette opens forms, changes the theme, and opens a request by its id", async () => {
    const { page, faults, go, context } = await driven.asOwner({ theme: "light" });
    const choose = async (text: string) => {
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Find a page or an action" }).fill(text);
      await page.keyboard.press("Enter");
    };
    await go("");
    for (const [command, title] of [
      ["create an api key", "Create an API key"],
      ["add a search backend", "Add a search backend"],
      ["create an account", "Create an account"],
    ] as const) {
      await choose(command);
      await page.getByRole("dialog", { name: title }).waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    }
    const scheme = () => page.evaluate("getComputedStyle(document.documentElement).colorScheme");
    await choose("dark theme");
    expect(await scheme()).toBe("dark");
    await choose("theme of the system");
    expect(await scheme()).toBe("light dark");
    const [record] = (await (await context.request.get(`${driven.url}/api/admin/usage/requests?limit=1`)).json()).data;
    await choose(record.id);
    await page.getByRole("dialog").getByText(record.id).first().waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  test("nothing moves for a user who asked for less motion", async () => {
    const { page, go, context } = await driven.asOwner();
    const longest = () =>
      page.evaluate<number>(`Math.max(...[...document.querySelectorAll("*")].flatMap((element) => {
        const { transitionDuration, animationDuration } = getComputedStyle(element);
        return [transitionDuration, animationDuration].join().split(",").map((text) => parseFloat(text));
      }))`);
    await go("/keys");
    await page.getByRole("button", { name: "Create key" }).first().click();
    await page.getByRole("dialog").waitFor();
    expect(await longest()).toBeLessThanOrEqual(0.001);
    await page.emulateMedia({ reducedMotion: "no-preference" });
    expect(await longest()).toBeGreaterThan(0.05);
    await context.close();
  });

  test("the list of requests is saved as a file with what its filters leave", async () => {
    const { page, go, context } = await driven.asOwner();
    const save = async (name: string) => {
      await page.getByRole("button", { name: "Export" }).click();
      const download = page.waitForEvent("download");
      await page.getByRole("menuitem", { name }).click();
      return Bun.file(await (await download).path()).text();
    };
    await go("/requests");
    const lines = (await save("All of it as JSON lines")).trim().split("\n");
    const records = lines.map((line) => JSON.parse(line) as { readonly id: string; readonly status: string });
    expect(records).toHaveLength(await page.locator("[data-row]").count());
    await go("/requests?status=refused");
    const refused = records.filter(({ status }) => status === "refused");
    const [head = "", ...rows] = (await save("All of it as CSV")).trim().split("\n");
    expect(head.split(",").slice(0, 2).join()).toContain("id");
    expect(rows).toHaveLength(refused.length);
    for (const { id } of refused) expect(rows.join("\n")).toContain(id);
    await context.close();
  });

  test("a view keeps filters and columns under a name, over a reload, until it is deleted", async () => {
    const { page, go, context } = await driven.asOwner();
    await go("/requests?status=refused");
    await page.getByRole("button", { name: "Columns" }).click();
    await page.getByRole("menuitemcheckbox", { name: "Request id" }).click();
    await page.keyboard.press("Escape");
    const views = page.getByRole("button", { name: "Views" });
    await views.click();
    await page.getByRole("menuitem", { name: "Save this view" }).click();
    await page.getByRole("dialog").getByLabel("Name of the view").fill("Refused ones");
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await go("/requests");
    expect(await page.getByRole("button", { name: "Remove the filter Status" }).count()).toBe(0);
    await views.click();
    await page.getByRole("menuitem", { name: "Refused ones", exact: true }).click();
    await page.getByRole("button", { name: "Remove the filter Status" }).waitFor();
    await page.getByRole("columnheader", { name: "Request id" }).waitFor();
    await views.click();
    await page.getByRole("menuitem", { name: "Delete Refused ones" }).click();
    await views.click();
    expect(await page.getByRole("menuitem", { name: "Refused ones", exact: true }).count()).toBe(0);
    await context.close();
  });

  test("the live list shows a request that comes while it is looked at", async () => {
    const { page, faults, go, context } = await driven.asOwner();
    await go("/requests");
    await page.getByRole("button", { name: "Live" }).click();
    const rows = page.locator("[data-row]");
    const before = await rows.count();
    const answer = await driven.console.gateway.chat();
    await answer.arrayBuffer();
    await rows.nth(before).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  test("search backends are ordered by dragging, and stay so", async () => {
    const { page, faults, go, context } = await driven.asOwner();
    await go("/search-backends");
    const items = page.locator("main li[draggable=true]");
    expect(await items.first().textContent()).toContain(hostile);
    await items.nth(1).dragTo(items.first());
    await page.getByText("Second is asked as number 1 now").waitFor();
    await page.reload();
    expect(await items.first().textContent()).toContain("Second");
    expect(faults).toEqual([]);
    await context.close();
  });

  test("an event that a webhook refused is shown as waiting, and is delivered when it is sent again", async () => {
    const { gateway } = driven.console;
    receiver.answer = () => new Response(null, { status: 500 });
    const videos = videosOf(gateway);
    const job = (await (await videos.post({ prompt: "[video fails]" })).json()) as ShownVideo;
    await videos.ended(job.id);
    const { page, faults, go, context } = await driven.asOwner();
    const event = async () => {
      const { data } = await (await context.request.get(`${driven.url}/api/admin/events`)).json();
      return data.find(({ id }: { readonly id: string }) => id === `evt_${job.id}`);
    };
    await until("a failed delivery", async () => (await event())?.failed_attempts === 1);
    receiver.answer = () => new Response(null, { status: 204 });
    await go("/jobs");
    const row = page.getByRole("row").filter({ hasText: "video.failed" });
    await row.getByText("Waiting", { exact: true }).waitFor();
    await row.getByRole("button", { name: "Send again" }).click();
    await page.getByText(`evt_${job.id}`).waitFor();
    await until("the delivery", async () => (await event()).delivered_at !== null);
    expect(receiver.received.map(({ id }) => id)).toEqual([`evt_${job.id}`, `evt_${job.id}`]);
    await page.getByRole("checkbox", { name: "Only undelivered" }).check();
    await row.waitFor({ state: "detached" });
    expect(faults).toEqual([]);
    await context.close();
  });

  test("an address without a page says so, and leads on", async () => {
    const { page, faults, go, context } = await driven.asOwner();
    await go("/no-such-page/at-all");
    await page.getByRole("heading", { name: "There is no such page" }).waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await page.getByRole("main").getByRole("link", { name: "Overview" }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { seriousFaults } from "./axe.testkit.ts";
import { type DrivenConsole, driveConsole, signIn, whyNoBrowser } from "./browser.testkit.ts";
import { fillGateway } from "./records.testkit.ts";

describe.skipIf(whyNoBrowser !== null)("a member in the console", () => {
  let driven: DrivenConsole;
  let key: string;
  beforeAll(async () => {
    driven = await driveConsole();
    await driven.asOwner();
    const { gateway } = driven.console;
    await fillGateway(gateway);
    const owner = driven.console.browser();
    await owner.signIn("owner@example.com");
    await driven.console.invited(owner, { email: "member@example.com", role: "member", account_id: "team-a" });
    ({ key } = await gateway.newKey({ accountId: "team-a" }));
    const admin = await gateway.newKey({ admin: true });
    const headers = { authorization: `Bearer ${admin.key}`, "content-type": "application/json" };
    const budgets = [
      { account: "team-a", amount_microusd: 2_000_000, per: "month" },
      { account: "team-x", amount_microusd: 7_770_000, per: "month" },
    ];
    for (const budget of budgets) {
      await gateway.fetch("/api/admin/budgets", { method: "POST", headers, body: JSON.stringify(budget) });
    }
  });
  afterAll(() => driven?.stop());

  const asMember = async (width: 360 | 1440 = 1440) => {
    const opened = await driven.open({ width });
    await signIn(opened, driven.url, "member@example.com");
    return opened;
  };

  test("tries a model with a key of its account, and finds the request and nothing of others", async () => {
    const { page, go, context, faults } = await asMember();
    await go("/explorer");
    await page.getByText("Ask an operator of this gateway for a key").waitFor();
    await page.getByLabel("API key").fill(key);
    await page.getByRole("textbox", { name: "Message" }).fill("Hello from team A");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("button", { name: "Record" }).click();
    await page.getByRole("region", { name: "Record" }).getByText("team-a", { exact: true }).waitFor();
    await go("/requests");
    await page.locator("[data-row]").first().waitFor();
    expect(await page.locator("[data-row]").count()).toBe(1);
    await go("");
    await page.getByRole("img", { name: /over time/ }).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  test("has a page with the balance and the budgets of its account", async () => {
    for (const width of [1440, 360] as const) {
      const { page, go, context, faults } = await asMember(width);
      await go("/account");
      await page.getByText("available for requests").waitFor();
      await page.getByText("team-a").first().waitFor();
      await page.getByText("$2.00").waitFor();
      expect(await page.getByText("$7.77").count()).toBe(0);
      expect(await seriousFaults(page)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBeTrue();
      expect(faults).toEqual([]);
      await context.close();
    }
  });

  test("finds no link to a page that it is refused, and asks no path of operators", async () => {
    const { page, go, context, faults } = await asMember();
    const refused: string[] = [];
    page.on("response", (response) => {
      if (response.status() === 403) refused.push(new URL(response.url()).pathname);
    });
    const seen = new Set<string>();
    const waiting = ["/console/"];
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (seen.has(path)) continue;
      seen.add(path);
      await go(path.replace("/console", ""));
      const links = await page
        .locator("a[href^='/console']")
        .evaluateAll((all) => all.map((each) => each.getAttribute("href")));
      for (const link of links)
        if (link !== null) waiting.push(new URL(link, driven.url).pathname.replace(/(.)\/$/, "$1"));
    }
    expect(refused).toEqual([]);
    expect(seen.size).toBeGreaterThan(5);
    await page.keyboard.press("Control+k");
    expect(await page.getByRole("dialog").getByText("Create an API key").count()).toBe(0);
    expect(faults).toEqual([]);
    await context.close();
  });
});

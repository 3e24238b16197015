import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type DrivenConsole, driveConsole, signIn, whyNoBrowser } from "./browser.testkit.ts";
import { fillGateway } from "./records.testkit.ts";

describe.skipIf(whyNoBrowser !== null)("usage in the console", () => {
  let driven: DrivenConsole;
  beforeAll(async () => {
    driven = await driveConsole();
    await driven.asOwner();
    await fillGateway(driven.console.gateway);
  });
  afterAll(() => driven?.stop());

  const parametersOf = (url: string) => Object.fromEntries(new URL(url).searchParams);

  test("the overview tells sums and durations, by any group, and its numbers lead to their requests", async () => {
    const { page, go, faults, context } = await driven.asOwner();
    await go("/?range=24h");
    const tiles = page.getByRole("group", { name: "Overview" }).getByRole("button");
    const names = ["Spend", "Requests", "Tokens", "Errors", "Latency p50", "First byte p50", "Saved by caches"];
    const shown = await tiles.allTextContents();
    expect(shown.length).toBe(names.length);
    for (const [place, name] of names.entries()) expect(shown[place]).toStartWith(name);
    expect(shown[1]).toContain("4");
    expect(shown[4]).toMatch(/p50\d+(\.\d+)? m?s/);
    for (const [group, name] of [
      ["Key", "Support chat"],
      ["Account", "default"],
      ["Endpoint", "/v1/chat/completions"],
      ["Provider", "sandbox"],
      ["End user", "ada"],
      ["Model", "sandbox-chat"],
    ] as const) {
      await page.getByRole("group", { name: "Group by" }).getByRole("button", { name: group, exact: true }).click();
      await page.getByRole("table").getByText(name, { exact: true }).first().waitFor();
    }
    await tiles.nth(4).click();
    await page.getByRole("img", { name: "Latency p50 and p95 over time" }).waitFor();
    expect(parametersOf(page.url())).toEqual({ range: "24h", by: "model", metric: "latency" });
    await page.getByRole("table").getByRole("link", { name: "sandbox-chat" }).first().click();
    await page.locator("[data-row='1']").waitFor();
    expect(parametersOf(page.url())).toEqual({ range: "24h", model: "sandbox-chat" });
    await page.getByRole("navigation").getByRole("link", { name: "Accounts" }).click();
    await page.getByRole("heading", { name: "Accounts" }).waitFor();
    await page.getByRole("navigation").getByRole("link", { name: "Overview" }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    expect(parametersOf(page.url())).toEqual({ range: "24h" });
    expect(faults).toEqual([]);
    await context.close();
  });

  test("filters of the overview go with a click on a bar, and the range is that of the bar", async () => {
    const { page, go, context } = await driven.asOwner();
    await go("/?range=24h&provider=sandbox&by=endpoint&metric=requests");
    await page.getByRole("button", { name: "Remove the filter Provider" }).waitFor();
    const box = await page.locator(".u-over").boundingBox();
    if (box === null) throw new Error("There is no chart.");
    // The last of 25 bars, near its foot.
    await page.mouse.click(box.x + (box.width * 24.5) / 25, box.y + box.height - 4);
    await page.locator("[data-row='0']").waitFor();
    const { range = "", ...others } = parametersOf(page.url());
    expect(range).toMatch(/^\d+-\d+$/);
    expect(others).toEqual({ provider: "sandbox", endpoint: "/v1/chat/completions" });
    await context.close();
  });

  test("requests are selected by several statuses, provider, cost and latency, and the address keeps them", async () => {
    const { page, go, context } = await driven.asOwner();
    await go("/requests");
    const rows = page.locator("[data-row]");
    const filter = async (fill: () => Promise<void>) => {
      await page.getByRole("button", { name: "Filter", exact: true }).click();
      await fill();
      await page.getByRole("button", { name: "Apply" }).click();
    };
    await filter(async () => {
      await page.getByLabel("Succeeded").check();
      await page.getByLabel("Failed").check();
      await page.getByLabel("Provider").fill("sandbox");
    });
    await page.getByRole("button", { name: "Remove the filter Provider" }).waitFor();
    expect(parametersOf(page.url())).toEqual({ status: "succeeded,failed", provider: "sandbox" });
    await page.getByText("Succeeded, Failed").waitFor();
    expect(await rows.count()).toBe(2);
    await filter(() => page.getByLabel("Cost from, USD").fill("999"));
    await page.getByText("No request in this time matches the filters.").waitFor();
    await page.getByText("$999.00").waitFor();
    expect(parametersOf(page.url())).toMatchObject({ min_cost: "999" });
    await page.getByRole("button", { name: "Remove the filter Cost from, USD" }).click();
    await filter(() => page.getByLabel("Latency from, ms").fill("600000"));
    await page.getByText("No request in this time matches the filters.").waitFor();
    // What the form would not take is refused by the API, in words.
    await go("/requests?min_cost=much");
    await page.getByRole("alert").getByText("min_amount_microusd").waitFor();
    await context.close();
  });

  test("the requests and sums of one key are shown, and the session goes on", async () => {
    const { page, go, context } = await driven.asOwner();
    await go("/?range=24h&by=key");
    await page.getByRole("table").getByRole("link", { name: "Support chat" }).click();
    await page.locator("[data-row='3']").waitFor();
    const { key = "" } = parametersOf(page.url());
    expect(key).toMatch(/^[0-9A-Za-z]{10}$/);
    await go(`/?range=24h&key=${key}`);
    await page.getByRole("table").getByText("sandbox-chat").first().waitFor();
    await context.close();
  });

  test("a view keeps filters, a column can be left out, and live shows a request that comes", async () => {
    const { page, go, context } = await driven.asOwner();
    await go("/requests?status=refused,failed");
    await page.getByRole("button", { name: "Views" }).click();
    await page.getByRole("menuitem", { name: "Save this view" }).click();
    await page.getByLabel("Name of the view").fill("Errors");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("button", { name: "Columns" }).click();
    await page.getByRole("menuitemcheckbox", { name: "Provider" }).click();
    await page.keyboard.press("Escape");
    await page.getByRole("columnheader", { name: "Provider" }).waitFor({ state: "detached" });
    await go("/requests");
    await page.getByRole("button", { name: "Views" }).click();
    await page.getByRole("menuitem", { name: "Errors", exact: true }).click();
    await page.getByText("Failed, Refused").or(page.getByText("Refused, Failed")).waitFor();
    expect(parametersOf(page.url())).toEqual({ status: "refused,failed" });
    await page.getByRole("columnheader", { name: "Provider" }).waitFor();
    await go("/requests");
    await page.getByRole("button", { name: "Live" }).click();
    const { key } = await driven.console.gateway.newKey();
    const answer = await driven.console.gateway.chat(
      { model: "sandbox-chat" },
      { headers: { authorization: `Bearer ${key}`, "x-service-end-user": "live-user" } },
    );
    const id = answer.headers.get("x-service-request-id") ?? "";
    await answer.text();
    // The fifth comes first.
    await page.locator("[data-row='4']").waitFor();
    await page.locator("[data-row='0']").click();
    await page.getByRole("dialog").getByText(id).first().waitFor();
    await context.close();
  });

  test("a member has the groups and filters of its own account alone", async () => {
    const owner = driven.console.browser();
    await owner.signIn("owner@example.com");
    await driven.console.invited(owner, { email: "reader@example.com", role: "member", account_id: "default" });
    const { page, go, context, ...rest } = await driven.open();
    await signIn({ page, go, context, ...rest }, driven.url, "reader@example.com");
    await go("/?by=key");
    const groups = page.getByRole("group", { name: "Group by" }).getByRole("button");
    expect(await groups.allTextContents()).toEqual(["Model", "Endpoint", "Provider", "Status", "End user"]);
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    await page.getByRole("combobox", { name: "Model" }).waitFor();
    expect(await page.getByLabel("Account").count()).toBe(0);
    await context.close();
  });
});

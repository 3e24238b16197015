import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type DrivenConsole, driveConsole, signIn, whyNoBrowser } from "./browser.testkit.ts";
import { fillGateway, hostile } from "./records.testkit.ts";

describe.skipIf(whyNoBrowser !== null)("the console in use", () => {
  let driven: DrivenConsole;
  beforeAll(async () => {
    driven = await driveConsole();
    await driven.asOwner();
    await fillGateway(driven.console.gateway);
  });
  afterAll(() => driven?.stop());

  test("a wrong password is refused in words, a right one leads to the page that was wanted", async () => {
    const { page, go, context } = await driven.open();
    await go("/keys?range=24h");
    await page.getByLabel("Email").fill("owner@example.com");
    await page.getByLabel("Password").fill("not the password");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("alert").getByText("Request id").waitFor();
    await page.getByLabel("Password").fill("a long password of tests");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("heading", { name: "API Keys" }).waitFor();
    expect(page.url()).toBe(`${driven.url}/console/keys?range=24h`);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await context.close();
  });

  test("no link leads from the sign-in to another site", async () => {
    for (const next of ["https://example.com/", "//example.com/console", "/\\example.com", "/v1/models"]) {
      const { page, go, context } = await driven.open();
      await go(`/sign-in?next=${encodeURIComponent(next)}`);
      await page.getByLabel("Email").fill("owner@example.com");
      await page.getByLabel("Password").fill("a long password of tests");
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.getByRole("heading", { name: "Overview" }).waitFor();
      expect(new URL(page.url()).origin).toBe(new URL(driven.url).origin);
      await context.close();
    }
  });

  test("a member has the pages of its own account, and the gateway refuses it the others", async () => {
    const owner = driven.console.browser();
    await owner.signIn("owner@example.com");
    await driven.console.invited(owner, { email: "member@example.com", role: "member", account_id: "team-a" });
    const member = await driven.open();
    await signIn(member, driven.url, "member@example.com");
    await member.go("");
    await member.page.getByText("Welcome to Tollgate").waitFor();
    const names = await member.page.getByRole("navigation").getByRole("link").allTextContents();
    expect(names).toEqual(["Overview", "Requests", "Explorer", "Account", "Settings", "API"]);
    await member.go("/keys");
    await member.page.getByRole("alert").getByText("owner or operator").waitFor();
    await member.context.close();
  });

  test("columns are made wider by the mouse and by keys, and a double click gives their width back", async () => {
    const { page, go, faults, context } = await driven.asOwner();
    await go("/requests");
    const head = page.getByRole("columnheader", { name: "Model" });
    const handle = head.getByRole("button", { name: "Resize" });
    const cell = page.locator("[data-row='0'] [role=cell]").nth(2);
    const widths = async () => [(await head.boundingBox())?.width ?? 0, (await cell.boundingBox())?.width ?? 0];
    const [usual = 0] = await widths();
    const box = await handle.boundingBox();
    const [x, y] = [(box?.x ?? 0) + 4, (box?.y ?? 0) + 4];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 50, y);
    await page.mouse.move(x + 100, y, { steps: 4 });
    await page.mouse.up();
    for (const width of await widths()) expect(Math.abs(width - usual - 100)).toBeLessThan(3);
    await handle.focus();
    await page.keyboard.press("ArrowLeft");
    for (const width of await widths()) expect(Math.abs(width - usual - 84)).toBeLessThan(3);
    await page.reload();
    await head.waitFor();
    for (const width of await widths()) expect(Math.abs(width - usual - 84)).toBeLessThan(3);
    await handle.dblclick();
    for (const width of await widths()) expect(Math.abs(width - usual)).toBeLessThan(3);
    expect(faults).toEqual([]);
    await context.close();
  });

  test("filters stand in the address, and go with it", async () => {
    const { page, go, context } = await driven.asOwner();
    await go("/requests");
    const rows = page.locator("[data-row]");
    expect(await rows.count()).toBe(4);
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    await page.getByLabel("Refused").check();
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByRole("button", { name: "Remove the filter Status" }).waitFor();
    expect(new URL(page.url()).searchParams.get("status")).toBe("refused");
    await rows.getByText(hostile).waitFor();
    expect(await rows.count()).toBe(1);
    await page.getByRole("button", { name: "Remove the filter Status" }).click();
    await rows.nth(3).waitFor();
    await go("/requests?model=no-such-model");
    await page.getByText("No request in this time matches the filters.").waitFor();
    await context.close();
  });

  test("the list of requests is used by keyboard", async () => {
    const { page, go, context } = await driven.asOwner();
    await go("/requests");
    await page.getByRole("table").focus();
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.locator("[data-row='1']:focus").waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByText("Request id").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("g");
    await page.keyboard.press("k");
    await page.getByRole("heading", { name: "API Keys" }).waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog").getByText("Keyboard shortcuts").waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("search back");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Search backends", exact: true }).waitFor();
    await context.close();
  });

  test("a key is created with scopes and a budget, given a new secret, and disabled", async () => {
    const { page, go, context } = await driven.asOwner();
    await go("/keys");
    await page.getByRole("button", { name: "Create key" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Scoped");
    await dialog.getByLabel("Budget in USD").fill("2.50");
    await dialog.getByText("Scopes and limits").click();
    await dialog.getByLabel("Models").fill("sandbox-chat");
    await dialog.getByRole("button", { name: "chat", exact: true }).click();
    await dialog.getByLabel("Requests per minute").fill("many");
    await dialog.getByText("A whole number of at least 1.").waitFor();
    await dialog.getByLabel("Requests per minute").fill("60");
    await dialog.getByRole("button", { name: "Create key" }).click();
    const first = await page.locator("[data-secret]").textContent();
    await page.getByRole("button", { name: "I have copied it" }).click();
    await page.getByRole("button", { name: "Actions for Scoped" }).click();
    await page.getByRole("menuitem", { name: "New secret" }).click();
    await page.getByRole("button", { name: "Make the new secret" }).click();
    await page.locator("[data-secret]").waitFor();
    expect(await page.locator("[data-secret]").textContent()).not.toBe(first);
    await page.getByRole("button", { name: "I have copied it" }).click();
    await page.getByRole("button", { name: "Actions for Scoped" }).click();
    await page.getByRole("menuitem", { name: "Disable" }).click();
    await dialog.getByRole("button", { name: "Disable" }).click();
    const row = page.getByRole("row").filter({ hasText: "Scoped" });
    await row.getByText("Disabled").waitFor();
    expect(await row.textContent()).toContain("sandbox-chat · chat");
    await go("/accounts");
    await page.getByText("$2.50").waitFor();
    await context.close();
  });

  test("search backends are ordered by keyboard and tested, and their errors are shown", async () => {
    const { page, go, context } = await driven.asOwner();
    await go("/search-backends");
    const names = () => page.locator("main li").allTextContents();
    expect((await names())[0]).toContain(hostile);
    await page.getByRole("button", { name: "Move Second up" }).focus();
    await page.keyboard.press("Alt+ArrowUp");
    await page.getByText("Second is asked as number 1 now").waitFor();
    expect((await names())[0]).toContain("Second");
    await page
      .getByRole("listitem")
      .filter({ hasText: "Sandbox search" })
      .getByRole("button", { name: "Test" })
      .click();
    await page.getByText(/Answered in .* with \d+ results/).waitFor();
    await page.getByRole("button", { name: "Add backend" }).click();
    await page.getByRole("dialog").getByLabel("Id", { exact: true }).fill("first");
    await page.getByRole("dialog").getByLabel("API key at the provider").fill("tvly-1");
    await page.getByRole("dialog").getByRole("button", { name: "Add backend" }).click();
    await page.getByRole("dialog").getByRole("alert").getByText("Request id").waitFor();
    await context.close();
  });

  test("an account is credited once, and the ledger says for what", async () => {
    const { page, go, context } = await driven.asOwner();
    await go("/accounts?id=team-a");
    const sheet = page.getByRole("dialog");
    await sheet.getByLabel("Amount in USD").fill("12.5");
    await sheet.getByLabel("Note").fill("Invoice 7");
    await sheet.getByRole("button", { name: /Credit \$12/ }).click();
    await sheet.getByRole("row").filter({ hasText: "Invoice 7" }).getByText("$12.50").waitFor();
    await context.close();
  });
});

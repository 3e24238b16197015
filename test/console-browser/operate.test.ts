import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type DrivenConsole, driveConsole, whyNoBrowser } from "./browser.testkit.ts";
import { fillGateway } from "./records.testkit.ts";

describe.skipIf(whyNoBrowser !== null)("the pages of operators", () => {
  let driven: DrivenConsole;
  beforeAll(async () => {
    driven = await driveConsole();
    await driven.asOwner();
    await fillGateway(driven.console.gateway);
  });
  afterAll(() => driven?.stop());

  test("an alias is added, explained by its model, and deleted, and the trail names the user", async () => {
    const { page, faults, go, context } = await driven.asOwner();
    await go("/models");
    await page.getByRole("button", { name: "sandbox-chat", exact: true }).click();
    await page.getByRole("button", { name: "Ask why" }).click();
    await page.getByText("It would go to").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Add route" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("quick");
    await page.getByRole("dialog").getByRole("button", { name: "Add route" }).click();
    const row = page.getByRole("row").filter({ hasText: "quick" });
    await row.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await row.waitFor({ state: "detached" });
    await go("/changes?kind=route");
    await page.getByText("owner@example.com").first().waitFor();
    await page.getByRole("button", { name: "Show" }).first().click();
    await page.getByRole("dialog").getByText("Before").waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  test("prices are imported from a file, compared and rolled back", async () => {
    const { page, faults, go, context } = await driven.asOwner();
    await go("/prices");
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "Import" }).click();
    await dialog.getByLabel("Format").selectOption("tollgate");
    const importFile = async (content: string) => {
      const file = { name: "prices.json", mimeType: "application/json", buffer: Buffer.from(content) };
      await dialog.getByLabel("File").setInputFiles(file);
      await dialog.getByRole("button", { name: "Import" }).click();
    };
    await importFile('{"models": [{"id": "new-model", "prices": {"input": -1}}]}');
    await dialog.getByRole("alert").getByText("models[0].prices.input").waitFor();
    const file = {
      name: "prices.json",
      mimeType: "application/json",
      buffer: Buffer.from('{"models": [{"id": "new-model", "prices": {"input": 1.5, "output": 3}}]}'),
    };
    await dialog.getByLabel("File").setInputFiles(file);
    await dialog.getByRole("button", { name: "What would change" }).click();
    await dialog.getByText("The file has prices of 1 model.").waitFor();
    await dialog.getByText("What the usage of the last 30 days would have cost").waitFor();
    await dialog.getByText("$1.500000").waitFor();
    await importFile('{"models": [{"id": "new-model", "prices": {"input": 1.5, "output": 3}}]}');
    await page.getByText("Version 2 is in force").waitFor();
    await page.getByRole("button", { name: "Version 2" }).click();
    await page.getByRole("menuitem", { name: "What changed" }).click();
    await dialog.getByText("$1.500000").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Roll back" }).click();
    await dialog.getByRole("button", { name: "Roll back" }).click();
    await page.getByText("Version 1 is in force").waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  test("a user is invited by a link that is shown once, and its holder joins", async () => {
    const { page, faults, go, context } = await driven.asOwner();
    await go("/settings");
    await page.getByRole("button", { name: "Invite" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Grace");
    await dialog.getByLabel("Email").fill("grace@example.com");
    await dialog.getByLabel("Role").selectOption("operator");
    await dialog.getByRole("button", { name: "Make the link" }).click();
    const link = (await page.locator("[data-secret]").textContent()) ?? "";
    const guest = await driven.open();
    await guest.page.goto(link);
    await guest.page.getByText("You have been invited").waitFor();
    await guest.page.getByLabel("Password").fill("another long password");
    await guest.page.getByRole("button", { name: "Join" }).click();
    await guest.page.getByRole("heading", { name: "Overview" }).waitFor();
    await guest.go("/settings");
    await guest.page.getByText("Sessions").first().waitFor();
    expect(await guest.page.getByRole("button", { name: "Invite" }).count()).toBe(0);
    await go("/settings");
    await page.getByRole("row").filter({ hasText: "grace@example.com" }).getByRole("button", { name: "End" }).click();
    await page.getByText("The session has ended").waitFor();
    await guest.go("/requests");
    await guest.page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect([...faults, ...guest.faults]).toEqual([]);
    await guest.context.close();
    await context.close();
  });

  test("the theme that was chosen outlasts a reload, against the system's", async () => {
    const { page, go, context } = await driven.asOwner({ theme: "light" });
    await go("/settings");
    await page.getByRole("button", { name: "Dark" }).click();
    await page.reload();
    expect(await page.evaluate("document.documentElement.dataset.theme")).toBe("dark");
    expect(await page.evaluate("getComputedStyle(document.documentElement).colorScheme")).toBe("dark");
    await context.close();
  });

  test("the API's document is read by its paths", async () => {
    const { page, faults, go, context } = await driven.asOwner();
    await go("/api");
    await page.getByLabel("Filter by path or words").fill("rotate");
    await page.getByText("/api/admin/keys/{id}/rotate").click();
    await page.getByText("overlap").first().waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { seriousFaults } from "./axe.testkit.ts";
import { type DrivenConsole, driveConsole, whyNoBrowser } from "./browser.testkit.ts";
import { fillGateway } from "./records.testkit.ts";

/** Each dialog and sheet: how it is opened, and how it is sent if it is a form. */
interface Opening {
  readonly path: string;
  readonly open: (page: Page) => Promise<unknown>;
  /** Fills in what is required and sends it, for dialogs that change something. */
  readonly submit?: (page: Page) => Promise<unknown>;
}

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name }).first();
const inDialog = (page: Page) => page.getByRole("dialog");
const item = async (page: Page, menu: string | RegExp, name: string) => {
  await button(page, menu).click();
  await page.getByRole("menuitem", { name }).click();
};

const openings: Readonly<Record<string, Opening>> = {
  "create a key": {
    path: "/keys",
    open: (page) => button(page, "Create key").click(),
    submit: async (page) => {
      await inDialog(page).getByLabel("Name").fill("New");
      await inDialog(page).getByRole("button", { name: "Create key" }).click();
    },
  },
  "a new secret": {
    path: "/keys",
    open: (page) => item(page, "Actions for Support chat", "New secret"),
    submit: (page) => inDialog(page).getByRole("button", { name: "Make the new secret" }).click(),
  },
  "disable a key": {
    path: "/keys",
    open: (page) => item(page, "Actions for Support chat", "Disable"),
    submit: (page) => inDialog(page).getByRole("button", { name: "Disable" }).click(),
  },
  "add a backend": {
    path: "/search-backends",
    open: (page) => button(page, "Add backend").click(),
    submit: async (page) => {
      await inDialog(page).getByLabel("Id", { exact: true }).fill("new");
      await inDialog(page).getByLabel("API key at the provider").fill("tvly-1");
      await inDialog(page).getByRole("button", { name: "Add backend" }).click();
    },
  },
  "delete a backend": {
    path: "/search-backends",
    open: (page) => item(page, "Actions for Second", "Delete"),
    submit: (page) => inDialog(page).getByRole("button", { name: "Delete" }).click(),
  },
  "import prices": { path: "/prices", open: (page) => button(page, "Import").click() },
  "add a route": {
    path: "/models",
    open: (page) => button(page, "Add route").click(),
    submit: async (page) => {
      await inDialog(page).getByLabel("Name").fill("quick");
      await inDialog(page).getByRole("button", { name: "Add route" }).click();
    },
  },
  "a model": { path: "/models", open: (page) => button(page, "sandbox-chat").click() },
  "an account": { path: "/accounts?id=team-a", open: (page) => inDialog(page).waitFor() },
  "invite a user": {
    path: "/settings",
    open: (page) => button(page, "Invite").click(),
    submit: async (page) => {
      await inDialog(page).getByLabel("Name").fill("New");
      await inDialog(page).getByLabel("Email").fill("new@example.com");
      await inDialog(page).getByRole("button", { name: "Make the link" }).click();
    },
  },
  "remove a user": {
    path: "/settings",
    open: (page) => item(page, "Actions for Operator", "Remove"),
    submit: (page) => inDialog(page).getByRole("button", { name: "Remove" }).click(),
  },
  "a change": { path: "/changes", open: (page) => button(page, "Show").click() },
  "a request": { path: "/requests", open: (page) => page.locator("[data-row]").first().click() },
  shortcuts: { path: "", open: (page) => page.keyboard.press("?") },
  palette: { path: "", open: (page) => page.keyboard.press("Control+k") },
};

describe.skipIf(whyNoBrowser !== null)("the dialogs of the console", () => {
  let driven: DrivenConsole;
  beforeAll(async () => {
    driven = await driveConsole();
    await (await driven.asOwner()).context.close();
    await fillGateway(driven.console.gateway);
    const owner = driven.console.browser();
    await owner.signIn("owner@example.com");
    const answer = await owner.send("POST", "/console/users", {
      email: "o@example.com",
      name: "Operator",
      role: "operator",
    });
    const token = new URLSearchParams(new URL(String(answer.body["link"])).hash.slice(1)).get("token");
    await driven.console.browser().send("POST", "/console/auth-setup", { token, password: "a long password of tests" });
  });
  afterAll(() => driven?.stop());

  for (const theme of ["light", "dark"] as const) {
    test.each(Object.entries(openings))(
      `%s, ${theme}: no serious fault for anyone, and all of it within the screen, wide and narrow`,
      async (_name, { path, open }) => {
        const { page, faults, go, context } = await driven.asOwner({ theme });
        await go(path);
        await open(page);
        await inDialog(page).waitFor();
        for (const width of [1440, 360]) {
          await page.setViewportSize({ width, height: width === 360 ? 740 : 900 });
          expect({ width, faults: await seriousFaults(page) }).toEqual({ width, faults: [] });
          const box = await inDialog(page).boundingBox();
          expect(box !== null && box.x >= 0 && box.x + box.width <= width + 1).toBeTrue();
        }
        expect(faults).toEqual([]);
        await context.close();
      },
    );
  }

  const forms = Object.entries(openings).flatMap(([name, { path, open, submit }]) =>
    submit === undefined ? [] : [{ name, path, open, submit }],
  );

  test("a form that the gateway refuses stays open with what it said and the request id", async () => {
    const { page, go, context } = await driven.asOwner();
    const error = {
      type: "invalid_request_error",
      code: "invalid_request",
      message: "Refused by a test.",
      param: null,
    };
    for (const { name, path, open, submit } of forms) {
      await go(path);
      await open(page);
      await inDialog(page).waitFor();
      const refuse = (url: URL) => /^\/(api|console)\//.test(url.pathname);
      await page.route(refuse, (route) =>
        route.request().method() === "GET"
          ? route.continue()
          : route.fulfill({ status: 400, headers: { "x-service-request-id": "req_refused" }, json: { error } }),
      );
      await submit(page);
      await inDialog(page).getByRole("alert").getByText("Refused by a test.").waitFor();
      expect([name, await inDialog(page).getByRole("alert").textContent()]).toEqual([
        name,
        expect.stringContaining("req_refused"),
      ]);
      await page.unroute(refuse);
    }
    await context.close();
  }, 120_000);

  test("a form that reaches no gateway stays open and says so", async () => {
    const { page, go, context } = await driven.asOwner();
    for (const { name, path, open, submit } of forms) {
      await go(path);
      await open(page);
      await inDialog(page).waitFor();
      await context.setOffline(true);
      await submit(page);
      await inDialog(page).getByRole("alert").getByText("The gateway cannot be reached.").waitFor();
      expect([name, await inDialog(page).count()]).toEqual([name, 1]);
      await context.setOffline(false);
    }
    await context.close();
  }, 120_000);
});

import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { buildConsole } from "../../scripts/build-console.ts";
import { findPrograms } from "../../scripts/debian-packages.ts";
import { type ConsoleGateway, ownerEmail, password, startConsoleGateway } from "../console/console.testkit.ts";
import type { TestGatewayOptions } from "../gateway.testkit.ts";

const root = join(import.meta.dir, "../..");

/** Why the console cannot be driven here; null if it can. Debian's Chromium is installed if it can be. */
export const whyNoBrowser = await findPrograms(["chromium"], ["chromium"]);
if (whyNoBrowser !== null) process.stderr.write(`The console is not driven: ${whyNoBrowser}\n`);

export interface Screen {
  readonly width?: 360 | 1440;
  readonly theme?: "light" | "dark";
}

/** A gateway with its console, and a browser. */
export interface DrivenConsole {
  readonly url: string;
  readonly console: ConsoleGateway;
  /** A page of a browser without cookies. */
  open(screen?: Screen): Promise<DrivenPage>;
  /** A page in which the owner has signed in. The first call makes the owner. */
  asOwner(screen?: Screen): Promise<DrivenPage>;
  stop(): Promise<void>;
}

/** A page, and what went wrong in it. */
export interface DrivenPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of scripts, refusals of the content security policy, and dialogs. */
  readonly faults: string[];
  /** Goes to a path below `/console`, and waits until it is quiet. */
  readonly go: (path: string) => Promise<void>;
}

export async function driveConsole(options: TestGatewayOptions = {}): Promise<DrivenConsole> {
  await buildIfOlder();
  const started = await startConsoleGateway("sqlite", options);
  const { url } = started.gateway;
  const browser = await chromium.launch({
    executablePath: Bun.which("chromium") ?? "chromium",
    args: ["--no-sandbox"],
  });
  let hasOwner = false;
  const drive = (screen: Screen = {}) => openPage(browser, url, screen);
  return {
    url,
    console: started,
    open: drive,
    async asOwner(screen) {
      if (!hasOwner) await started.owner();
      hasOwner = true;
      const driven = await drive(screen);
      await signIn(driven, url, ownerEmail);
      return driven;
    },
    async stop() {
      await browser.close();
      await started.stop();
    },
  };
}

/** Signs in without the form, which has a test of its own. */
export async function signIn({ context }: DrivenPage, url: string, email: string): Promise<void> {
  const headers = { origin: new URL(url).origin, "sec-fetch-site": "same-origin" };
  const answer = await context.request.post(`${url}/console/auth/sign-in/email`, {
    data: { email, password },
    headers,
  });
  if (answer.status() !== 200) throw new Error(`The sign-in was answered with ${answer.status()}.`);
}

async function openPage(browser: Browser, url: string, { width = 1440, theme = "light" }: Screen): Promise<DrivenPage> {
  const context = await browser.newContext({
    viewport: { width, height: width === 360 ? 740 : 900 },
    colorScheme: theme,
    hasTouch: width === 360,
    locale: "en-GB",
    timezoneId: "Europe/Berlin",
    reducedMotion: "reduce",
  });
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("pageerror", ({ message }) => faults.push(message));
  page.on("dialog", (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("console", (message) => {
    const text = message.text();
    // The browser notes each answer of 400 and above; the page shows those.
    if (message.type() === "error" && !text.startsWith("Failed to load resource")) faults.push(text);
  });
  return {
    page,
    context,
    faults,
    go: async (path) => {
      await page.goto(`${url}/console${path}`, { waitUntil: "networkidle" });
    },
  };
}

/** Builds the console unless it is newer than all of its sources. */
async function buildIfOlder(): Promise<void> {
  const built = join(root, "build/console/index.html");
  const sources = [join(root, "web"), join(root, "scripts/build-console.ts")];
  if (existsSync(built) && Math.max(...sources.map(newestIn)) < statSync(built).mtimeMs) return;
  await buildConsole(join(root, "build/console"));
}

function newestIn(path: string): number {
  if (!statSync(path).isDirectory()) return statSync(path).mtimeMs;
  const files = readdirSync(path, { recursive: true, withFileTypes: true });
  return Math.max(...files.map((file) => statSync(join(file.parentPath, file.name)).mtimeMs));
}

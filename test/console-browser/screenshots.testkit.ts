import { mkdirSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Page, type Route } from "playwright-core";
import type { DrivenPage } from "./browser.testkit.ts";

/** The folder of the kept pictures, and of the answers that they were drawn from. */
const folder = join(import.meta.dir, "screenshots");
mkdirSync(folder, { recursive: true });

/** The address at which the pages are drawn, since links and snippets on them show it. */
const origin = "http://localhost";

/** An answer of the API, as the pages got it. */
interface KeptAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** What the kept pictures were drawn with. */
export interface Kept {
  /** Names the browser and its fonts: another one draws other pictures. */
  fingerprint: string;
  /** The time that the pages had, in Unix milliseconds. */
  time: number;
  /** By method and path with the query. */
  readonly answers: Record<string, KeptAnswer>;
}

const keptFile = join(folder, "kept.json");

/** Null if no pictures are kept. */
export async function readKept(): Promise<Kept | null> {
  const file = Bun.file(keptFile);
  return (await file.exists()) ? ((await file.json()) as Kept) : null;
}

export async function writeKept(kept: Kept): Promise<void> {
  await Bun.write(keptFile, `${JSON.stringify(kept, null, 2)}\n`);
}

/** The major version of Chromium and the width of a text in the fonts of the console. */
export async function fingerprintOfBrowser(): Promise<string> {
  const browser = await chromium.launch({
    executablePath: Bun.which("chromium") ?? "chromium",
    args: ["--no-sandbox"],
  });
  const page = await browser.newPage();
  const widths = await page.evaluate<string>(`["ui-sans-serif, system-ui, sans-serif", "ui-monospace, monospace"]
    .map((family) => {
      const context = document.createElement("canvas").getContext("2d");
      context.font = "20px " + family;
      return context.measureText("Requests 0123456789 $1.234567 WMil").width.toFixed(2);
    }).join(" ")`);
  const [major] = browser.version().split(".");
  await browser.close();
  return `Chromium ${major}, text widths ${widths}`;
}

/**
 * Serves a page at a fixed address and time: its files from the gateway, the API from `kept`. If `records`, the API is
 * asked and its answers are kept.
 */
export async function drawFrom(driven: DrivenPage, url: string, kept: Kept, records: boolean): Promise<void> {
  const { page, context, faults } = driven;
  await page.clock.setFixedTime(kept.time);
  const fetched = (path: string) => context.request.get(`${url}${path}`, { failOnStatusCode: false });
  await page.route(`${origin}/**`, async (route: Route) => {
    const { pathname, search } = new URL(route.request().url());
    const path = `${pathname}${search}`;
    if (route.request().resourceType() !== "fetch") return route.fulfill({ response: await fetched(path) });
    const key = `${route.request().method()} ${path}`;
    if (records && route.request().method() === "GET" && kept.answers[key] === undefined) {
      const answer = await fetched(path);
      kept.answers[key] = { status: answer.status(), body: shorten(pathname, await answer.json()) };
    }
    const answer = kept.answers[key];
    if (answer !== undefined) return route.fulfill({ status: answer.status, json: answer.body });
    faults.push(`There is no kept answer to ${key}. Make the pictures anew (UPDATE_SCREENSHOTS=1).`);
    return route.fulfill({ status: 404, json: {} });
  });
}

/** Opens a path below `/console`, for a page that draws from kept answers. */
export async function openAt(page: Page, path: string): Promise<void> {
  await page.goto(`${origin}/console${path}`, { waitUntil: "networkidle" });
}

/** Leaves a few paths of the OpenAPI document, which is large and changes with each new path. */
function shorten(pathname: string, body: unknown): unknown {
  if (pathname !== "/api/openapi.json") return body;
  const {
    paths,
    components: _components,
    ...rest
  } = body as {
    readonly paths: Readonly<Record<string, unknown>>;
    readonly components: unknown;
  };
  return { ...rest, components: { schemas: {} }, paths: Object.fromEntries(Object.entries(paths).slice(0, 12)) };
}

/** The part of the pixels that may differ. */
const maxDifference = 0.005;

/** Keeps a picture of the page, or compares it with the kept one: why they differ, or null. */
export async function comparePicture(page: Page, name: string, records: boolean): Promise<string | null> {
  const drawn = await page.screenshot({ animations: "disabled", caret: "hide", scale: "css" });
  const file = join(folder, `${name}.png`);
  if (records) {
    await Bun.write(file, drawn);
    return null;
  }
  if (!(await Bun.file(file).exists())) return `${name}: there is no kept picture.`;
  const difference = await differenceOf(page, await Bun.file(file).bytes(), drawn);
  if (difference <= maxDifference) return null;
  const seen = join(await mkdtemp(join(tmpdir(), "tollgate-screenshots-")), `${name}.png`);
  await Bun.write(seen, drawn);
  return `${name}: ${(difference * 100).toFixed(2)} % of the pixels differ. Drawn: ${seen}, kept: ${file}`;
}

/** The part of the pixels of two PNG files that differ visibly, from 0 to 1; 1 if their sizes differ. */
async function differenceOf(drawn: Page, one: Uint8Array, other: Uint8Array): Promise<number> {
  const page = await drawn.context().newPage();
  const files = JSON.stringify([one, other].map((bytes) => Buffer.from(bytes).toString("base64")));
  const difference = await page.evaluate<number>(`(async () => {
    const tolerance = 24;
    const [one, other] = await Promise.all(${files}.map(async (file) => {
      const bytes = Uint8Array.from(atob(file), (character) => character.charCodeAt(0));
      const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
      const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
      context.drawImage(image, 0, 0);
      return context.getImageData(0, 0, image.width, image.height);
    }));
    if (one.width !== other.width || one.height !== other.height) return 1;
    let different = 0;
    for (let at = 0; at < one.data.length; at += 4) {
      if ([0, 1, 2].some((part) => Math.abs(one.data[at + part] - other.data[at + part]) > tolerance)) different++;
    }
    return different / (one.width * one.height);
  })()`);
  await page.close();
  return difference;
}

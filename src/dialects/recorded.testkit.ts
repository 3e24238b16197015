import { readdirSync, readFileSync } from "node:fs";

const folder = new URL("../../test/recorded/", import.meta.url).pathname;

/** Real answers of a vendor, in the order of their names. See test/recorded/README.md. */
export function recordedAnswers(vendor: string): { readonly file: string; readonly text: string }[] {
  return readdirSync(folder + vendor)
    .toSorted()
    .map((file) => ({ file: `${vendor}/${file}`, text: readFileSync(`${folder}${vendor}/${file}`, "utf8") }));
}

/** The payloads of a recorded stream's events. */
export function recordedEvents(text: string): string[] {
  return text.split("\n").filter((line) => line !== "");
}

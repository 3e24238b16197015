import { newRequestId } from "../identifiers.ts";

const characters = "[0-7][0-9a-hjkmnp-tv-z]{25}";
const whole = new RegExp(`^file-${characters}$`);
const within = new RegExp(`file-${characters}`);

/** `file-` and the 26 characters of a request id. */
export function newFileId(now: number): string {
  return `file-${newRequestId(now).slice("req_".length)}`;
}

/** Whether a text has the form of a file's id. */
export function isFileId(text: unknown): text is string {
  return typeof text === "string" && whole.test(text);
}

/** Whether a text may have such an id in it. */
export function mayNameFile(text: string): boolean {
  return within.test(text);
}

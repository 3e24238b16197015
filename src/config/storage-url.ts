import { dirname, join } from "node:path";

/** What a storage address may be, for errors. */
export const allowedStorageUrl = "sqlite:<path of the file>, or postgres://user:password@host:port/database";

/** Whether this names a storage. */
export function isStorageUrl(url: string): boolean {
  if (/[\u0000-\u001f]/.test(url)) return false;
  if (url.startsWith("sqlite:")) return url.length > "sqlite:".length;
  return /^postgres(ql)?:\/\//.test(url) && URL.canParse(url);
}

/** Where the local journal stands unless told otherwise: beside the SQLite file, else in ./data. */
export function defaultJournalDir(storageUrl: string): string {
  const path = /^sqlite:(?:\/\/)?(.+)$/.exec(storageUrl)?.[1] ?? ":memory:";
  return path === ":memory:" ? join("data", "journal") : join(dirname(path), "journal");
}

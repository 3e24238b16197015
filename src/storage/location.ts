import { StorageError } from "./storage-error.ts";

/** The target of a storage URL. */
export type StorageLocation =
  | { readonly kind: "sqlite"; /** Or `:memory:`. */ readonly path: string }
  | {
      readonly kind: "postgres";
      readonly url: string;
      /** Without the password: fit for a log. */ readonly shown: string;
    };

const examples = `"sqlite:./data/tollgate.db" or "postgres://user:password@host:5432/database"`;

/** Reads a storage URL. Throws a `StorageError` (`invalid_url`) that names the allowed forms, and never shows a password. */
export function parseStorageUrl(text: string): StorageLocation {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase();
  if (scheme === "sqlite") return parseSqlite(text.slice("sqlite:".length));
  if (scheme === "postgres" || scheme === "postgresql") return parsePostgres(text);
  if (scheme === undefined)
    throw new StorageError("invalid_url", `The storage URL has no scheme: expected ${examples}.`);
  throw new StorageError("invalid_url", `The storage URL's scheme "${scheme}:" is not known: expected ${examples}.`);
}

function parseSqlite(rest: string): StorageLocation {
  const path = rest.startsWith("//") ? rest.slice(2) : rest;
  if (path === "") throw new StorageError("invalid_url", `The storage URL names no file: expected ${examples}.`);
  if (path.includes("\0")) throw new StorageError("invalid_url", "The storage URL's file name has a NUL character.");
  return { kind: "sqlite", path };
}

function parsePostgres(text: string): StorageLocation {
  if (!URL.canParse(text)) {
    throw new StorageError(
      "invalid_url",
      `The storage URL cannot be read: expected ${examples}. Characters such as "@", "/" or "#" in a password are ` +
        `written percent-encoded ("%40", "%2F", "%23").`,
    );
  }
  const url = new URL(text);
  if (url.pathname.length <= 1) {
    throw new StorageError("invalid_url", `The storage URL names no database: expected ${examples}.`);
  }
  return {
    kind: "postgres",
    url: text,
    shown: `postgres://${url.username && `${url.username}@`}${url.host}${url.pathname}`,
  };
}

import { describe, expect, test } from "bun:test";
import { parseStorageUrl } from "./location.ts";
import { StorageError } from "./storage-error.ts";

describe("parseStorageUrl", () => {
  test("reads URLs of SQLite", () => {
    expect(parseStorageUrl("sqlite:./data/tollgate.db")).toEqual({ kind: "sqlite", path: "./data/tollgate.db" });
    expect(parseStorageUrl("sqlite:/var/lib/t.db")).toEqual({ kind: "sqlite", path: "/var/lib/t.db" });
    expect(parseStorageUrl("sqlite:///var/lib/t.db")).toEqual({ kind: "sqlite", path: "/var/lib/t.db" });
    expect(parseStorageUrl("sqlite::memory:")).toEqual({ kind: "sqlite", path: ":memory:" });
  });

  test("reads URLs of Postgres, and shows them without the password", () => {
    const url = "postgres://user:secret@db.example:5433/tollgate?sslmode=require";
    expect(parseStorageUrl(url)).toEqual({ kind: "postgres", url, shown: "postgres://user@db.example:5433/tollgate" });
    expect(parseStorageUrl("postgresql://localhost/t")).toMatchObject({ shown: "postgres://localhost/t" });
  });

  test.each([
    ["", "no scheme"],
    ["./data/tollgate.db", "no scheme"],
    ["mysql://user:hunter2@host/db", `"mysql:" is not known`],
    ["sqlite:", "names no file"],
    ["sqlite:a\0b", "NUL"],
    ["postgres://user:hunter2@host", "names no database"],
    ["postgres://user:hunter2@host/", "names no database"],
    ["postgres://user:hunter2/x@host:port/db", "percent-encoded"],
  ])("refuses %j and says why", (url, reason) => {
    let thrown: unknown;
    try {
      parseStorageUrl(url);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(StorageError);
    expect(thrown).toMatchObject({ code: "invalid_url", message: expect.stringContaining(reason) });
    expect(Bun.inspect(thrown)).not.toContain("hunter2");
  });
});

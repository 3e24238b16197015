import { open } from "node:fs/promises";
import { join } from "node:path";
import type { Config, Environment } from "./config.ts";
import { defaultConfig } from "./defaults.ts";
import { ConfigError, type ConfigProblem } from "./problem.ts";
import { allowedStorageUrl, isStorageUrl } from "./storage-url.ts";

const defaultFile = "tollgate.yaml";
const mostBytes = 1024 * 1024;

export interface LoadOptions {
  /** The file to read; it must be there. */
  readonly path?: string | undefined;
  readonly environment: Environment;
  /** Where `tollgate.yaml` is looked for. The working directory unless told otherwise. */
  readonly directory?: string;
}

/**
 * Loads the configuration: from `path`, else from what `TOLLGATE_CONFIG` names, else from `tollgate.yaml` where there
 * is one, else the defaults with the sandbox. `TOLLGATE_STORAGE_URL` overrides `storage.url`.
 * Throws a `ConfigError` that holds all problems at once.
 */
export async function loadConfig({ path, environment, directory = "." }: LoadOptions): Promise<Config> {
  const problems: ConfigProblem[] = [];
  const override = environment["TOLLGATE_STORAGE_URL"] || null;
  if (override !== null && !isStorageUrl(override)) {
    const found = `a string of ${override.length} characters`;
    problems.push({ source: "TOLLGATE_STORAGE_URL", position: null, path: "", found, allowed: allowedStorageUrl });
  }
  const named = path ?? (environment["TOLLGATE_CONFIG"] || null);
  const text = await readText(named ?? join(directory, defaultFile), named !== null, problems);
  if (text === null) {
    if (problems.length > 0) throw new ConfigError(problems);
    return defaultConfig(override ?? undefined);
  }
  // What reads a file is costly to load, and a first start has none.
  const { readConfigText } = await import("./read-config-file.ts");
  return readConfigText(text, named ?? defaultFile, environment, override, problems);
}

/** The file's text; null where it is not there, or cannot be used and `problems` says why. */
async function readText(path: string, mustExist: boolean, problems: ConfigProblem[]): Promise<string | null> {
  const refuse = (found: string, allowed: string): null => {
    problems.push({ source: path, position: null, path: "", found, allowed });
    return null;
  };
  try {
    const bytes = await readAtMost(path, mostBytes + 1);
    if (bytes.length > mostBytes) return refuse("a file that is too large", `at most ${mostBytes} bytes`);
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return refuse("bytes that are not UTF-8", "a text file in UTF-8");
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT" && !mustExist) return null;
    return refuse(
      reasons[code ?? ""] ?? `a file that cannot be read (${code ?? "unknown"})`,
      "a file that can be read",
    );
  }
}

/** The file's first bytes: all it has, or `most`. A size asked for beforehand would be wrong of a pipe. */
async function readAtMost(path: string, most: number): Promise<Uint8Array> {
  const file = await open(path, "r");
  try {
    const bytes = Buffer.alloc(most);
    let length = 0;
    while (length < most) {
      const { bytesRead } = await file.read(bytes, length, most - length, null);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return bytes.subarray(0, length);
  } finally {
    await file.close();
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "no such file",
  ENOTDIR: "no such file",
  EISDIR: "a folder",
  EACCES: "a file that this user may not read",
};

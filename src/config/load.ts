import { open } from "node:fs/promises";
import { join } from "node:path";
import type { Config, Environment } from "./config.ts";
import { defaultConfig } from "./defaults.ts";
import { ConfigError, type ConfigProblem } from "./problem.ts";
import { isSecretKey, maxKeyLength, minKeyLength, type SecretKeys } from "../secrets/secret-key.ts";
import { allowedStorageUrl, isStorageUrl } from "./values/values.ts";

const defaultFile = "tollgate.yaml";
const maxBytes = 1024 * 1024;

export interface LoadOptions {
  /** The file to read; it must exist. */
  readonly path?: string | undefined;
  readonly environment: Environment;
  /** The directory of `tollgate.yaml`. Default: the working directory. */
  readonly directory?: string;
}

/**
 * Loads the configuration from the first of: `path`, the file named by `TOLLGATE_CONFIG`, `tollgate.yaml` if it exists,
 * the defaults with the sandbox. `TOLLGATE_STORAGE_URL` overrides `storage.url`. The keys that seal credentials are those
 * of `TOLLGATE_SECRET_KEY` and `TOLLGATE_SECRET_KEY_PREVIOUS`, never of the file.
 * Throws a `ConfigError` with all problems.
 */
export async function loadConfig({ path, environment, directory = "." }: LoadOptions): Promise<Config> {
  const problems: ConfigProblem[] = [];
  const override = environment["TOLLGATE_STORAGE_URL"] || null;
  if (override !== null && !isStorageUrl(override)) {
    const found = `a string of ${override.length} characters`;
    problems.push({ source: "TOLLGATE_STORAGE_URL", position: null, path: "", found, allowed: allowedStorageUrl });
  }
  const keys = readSecretKeys(environment, problems);
  const named = path ?? (environment["TOLLGATE_CONFIG"] || null);
  const text = await readText(named ?? join(directory, defaultFile), named !== null, problems);
  if (text === null) {
    if (problems.length > 0) throw new ConfigError(problems);
    return withKeys(defaultConfig(override ?? undefined), keys);
  }
  // Loaded only if there is a file, because the parser is slow to load.
  const { readConfigText } = await import("./file/read-config-file.ts");
  return withKeys(readConfigText(text, named ?? defaultFile, environment, override, problems), keys);
}

interface KeysInEnvironment extends Pick<SecretKeys, "key" | "previousKey"> {
  /** Null: the default. */
  readonly file: string | null;
}

/** Reads the keys that seal credentials. Problems with them are added to `problems`. */
function readSecretKeys(environment: Environment, problems: ConfigProblem[]): KeysInEnvironment {
  const read = (source: string): string | null => {
    const text = environment[source]?.trim() || null;
    if (text === null || isSecretKey(text)) return text;
    const found = `a string of ${text.length} characters`;
    const allowed = `a passphrase of ${minKeyLength} to ${maxKeyLength} characters, or 32 random bytes in base64`;
    problems.push({ source, position: null, path: "", found, allowed });
    return null;
  };
  return {
    key: read("TOLLGATE_SECRET_KEY"),
    previousKey: read("TOLLGATE_SECRET_KEY_PREVIOUS"),
    file: environment["TOLLGATE_SECRET_KEY_FILE"] || null,
  };
}

function withKeys(config: Config, { key, previousKey, file }: KeysInEnvironment): Config {
  return { ...config, secretKeys: { key, previousKey, file: file ?? config.secretKeys.file } };
}

/** Reads the file. Null if it does not exist, or on an error, which is added to `problems`. */
async function readText(path: string, mustExist: boolean, problems: ConfigProblem[]): Promise<string | null> {
  const fail = (found: string, allowed: string): null => {
    problems.push({ source: path, position: null, path: "", found, allowed });
    return null;
  };
  try {
    const bytes = await readAtMost(path, maxBytes + 1);
    if (bytes.length > maxBytes) return fail("a file that is too large", `at most ${maxBytes} bytes`);
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return fail("bytes that are not UTF-8", "a text file in UTF-8");
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT" && !mustExist) return null;
    return fail(reasons[code ?? ""] ?? `a file that cannot be read (${code ?? "unknown"})`, "a readable file");
  }
}

/** Reads up to `max` bytes. Does not rely on the size of the file, which is unknown for a pipe. */
async function readAtMost(path: string, max: number): Promise<Uint8Array> {
  const file = await open(path, "r");
  try {
    const bytes = Buffer.alloc(max);
    let length = 0;
    while (length < max) {
      const { bytesRead } = await file.read(bytes, length, max - length, null);
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
  EISDIR: "a directory",
  EACCES: "a file without read permission",
};

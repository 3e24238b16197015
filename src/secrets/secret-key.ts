import { hkdfSync, randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { createSealer, noSealer, type Sealer } from "./seal.ts";

/** The keys that credentials in the storage are sealed with. Secret: do not log. */
export interface SecretKeys {
  /** From `TOLLGATE_SECRET_KEY`; null if it is not set: then the file has it. */
  readonly key: string | null;
  /** From `TOLLGATE_SECRET_KEY_PREVIOUS`: opens what was sealed before the key changed. */
  readonly previousKey: string | null;
  /** The path of the file with the key if the variable is not set. It is made if it does not exist. */
  readonly file: string;
}

/** Characters of a secret key. */
export const minKeyLength = 32;
export const maxKeyLength = 4_096;

/** Whether a text may be a secret key: a passphrase, or 32 random bytes in base64 or hex. */
export function isSecretKey(text: string): boolean {
  return text.length >= minKeyLength && text.length <= maxKeyLength && !/[\u0000-\u001f\u007f]/.test(text);
}

export interface OpenedKeys {
  readonly sealer: Sealer;
  /** What an operator should know; null if all is well. */
  readonly caution: string | null;
}

/**
 * The sealer of these keys. Makes the file with a new key if neither it nor the variable is there. Never throws: without
 * a key nothing can be sealed or opened, and `caution` says why.
 */
export function openSealer({ key, previousKey, file }: SecretKeys): OpenedKeys {
  const previous = previousKey === null ? [] : [previousKey];
  try {
    // What was sealed with the file before the variable was set opens too.
    if (key !== null) return { sealer: createSealer([key, ...previous, ...present(readKeyFile(file))]), caution: null };
    const own = readKeyFile(file) ?? makeKeyFile(file);
    return { sealer: createSealer([own, ...previous]), caution: cautionOf(file) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (key !== null) return { sealer: createSealer([key, ...previous]), caution: null };
    const text = `cannot be sealed or opened without a key: set TOLLGATE_SECRET_KEY, or see to the file (${reason})`;
    return { sealer: noSealer(text), caution: `Credentials ${text}.` };
  }
}

/**
 * A secret of its own for one use, as 64 hexadecimal digits. Makes the file if neither it nor the variable is there.
 * @throws Error if there is no key and none can be made
 */
export function deriveSecret({ key, file }: SecretKeys, use: string): string {
  const secret = key ?? readKeyFile(file) ?? makeKeyFile(file);
  return Buffer.from(hkdfSync("sha256", secret, "tollgate", use, 32)).toString("hex");
}

function present(key: string | null): readonly string[] {
  return key === null ? [] : [key];
}

/** Null if there is no file. Throws if it cannot be read, or holds no key. */
function readKeyFile(file: string): string | null {
  let text: string;
  try {
    text = readFileSync(file, "utf8").trim();
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw new Error(`${file} cannot be read: ${codeOf(error)}`, { cause: error });
  }
  if (!isSecretKey(text)) throw new Error(`${file} does not hold ${minKeyLength} to ${maxKeyLength} characters`);
  return text;
}

/** Makes the file whole or not at all. If another process is quicker, its key counts. */
function makeKeyFile(file: string): string {
  const unfinished = `${file}.${process.pid}.${randomBytes(4).toString("hex")}`;
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(unfinished, `${randomBytes(32).toString("base64")}\n`, { mode: 0o600, flag: "wx", flush: true });
    linkSync(unfinished, file);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw new Error(`${file} cannot be made: ${codeOf(error)}`, { cause: error });
  } finally {
    rmSync(unfinished, { force: true });
  }
  const key = readKeyFile(file);
  if (key === null) throw new Error(`${file} has been removed`);
  return key;
}

/** A key that others on the machine can read protects nothing from them. */
function cautionOf(file: string): string | null {
  const isOpen = process.platform !== "win32" && (statSync(file).mode & 0o077) !== 0;
  return isOpen ? `Other users can read the key in ${file}. Restrict it: chmod 600 ${file}` : null;
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}

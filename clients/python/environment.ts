import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Installed, Skip } from "../client.ts";
import { tail } from "../program.ts";

/** A virtual environment, which several clients may share. */
export interface Environment {
  /** What is in it: requirements/<name>.txt. */
  readonly name: string;
  /** Minor versions of Python 3 that all its packages take. */
  readonly minor: { readonly min: number; readonly max: number };
}

/** The vendors' own SDKs, in their newest versions. */
export const sdks: Environment = { name: "sdks", minor: { min: 11, max: 14 } };
/** Frameworks that stand on the SDKs. */
export const frameworks: Environment = { name: "frameworks", minor: { min: 11, max: 14 } };
/** Without the models that it can run locally. */
export const openWebUi: Environment = { name: "open-webui", minor: { min: 11, max: 12 } };
export const aider: Environment = { name: "aider", minor: { min: 10, max: 12 } };

const installMs = 900_000;

/**
 * Installs exactly what is pinned from PyPI. Does nothing if the environment is there already. Throws `Skip` if this
 * machine's Python cannot.
 * @param main the package whose version is told
 * @param clientFolder a folder beside the environments
 */
export async function installEnvironment(
  { name, minor }: Environment,
  main: string,
  clientFolder: string,
): Promise<Installed> {
  const requirements = join(import.meta.dir, "requirements", `${name}.txt`);
  const pinned = readFileSync(requirements, "utf8");
  const version = pinned
    .split("\n")
    .find((line) => line.startsWith(`${main}==`))
    ?.slice(main.length + 2);
  if (version === undefined) throw new Error(`${requirements} does not pin ${main}`);
  const folder = join(clientFolder, "..", `python-${name}`);
  const marker = join(folder, "installed.txt");
  if (existsSync(marker) && readFileSync(marker, "utf8") === pinned) return { folder, version };
  await expectPython(minor);
  await run(["python3", "-m", "venv", "--clear", folder]);
  const options = ["--quiet", "--disable-pip-version-check", "--no-input", "--no-deps", "--only-binary=:all:"];
  await run([pythonIn(folder), "-m", "pip", "install", ...options, "--requirement", requirements]);
  writeFileSync(marker, pinned);
  return { folder, version };
}

export function pythonIn(folder: string): string {
  return join(folder, "bin", "python");
}

async function expectPython({ min, max }: Environment["minor"]): Promise<void> {
  const version = await run(["python3", "-c", "import sys; print(*sys.version_info[:2])"]).catch(() => "");
  const [major = 0, minor = 0] = version.trim().split(" ").map(Number);
  if (major !== 3 || minor < min || minor > max) {
    const found = version === "" ? "there is none" : `there is ${major}.${minor}`;
    throw new Skip(`needs python3 from 3.${min} to 3.${max}, and ${found}`);
  }
  await run(["python3", "-c", "import ensurepip, venv"]).catch(() => {
    throw new Skip("needs Python's venv: install the package python3-venv");
  });
}

async function run(command: readonly string[]): Promise<string> {
  const child = Bun.spawn([...command], { stdin: "ignore", stdout: "pipe", stderr: "pipe", timeout: installMs });
  const [output, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`${command.slice(0, 4).join(" ")} failed: ${tail(errors)}`);
  return output;
}

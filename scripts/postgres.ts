/**
 * A Postgres for tests: `startPostgres()` from code, or `scripts/bun.sh scripts/postgres.ts -- COMMAND...`, which runs
 * COMMAND with DATABASE_URL set and exits with its code. If DATABASE_URL is set already, it is used.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { freePort } from "./free-port.ts";

export interface RunningPostgres {
  /** URL of a user that may create databases. */
  readonly url: string;
  /** Stops the server and removes its files. No effect if DATABASE_URL was set. */
  stop(): Promise<void>;
}

const startTimeoutMs = 30_000;

/**
 * Starts a Postgres on a free port of 127.0.0.1, in a temporary directory. `stop()`, or any end of this process, stops it
 * and removes the directory. Throws if there is no Postgres and it cannot be installed.
 */
export async function startPostgres(): Promise<RunningPostgres> {
  const given = process.env["DATABASE_URL"];
  if (given) return { url: given, stop: async () => {} };
  const programs = findPrograms() ?? (await installPrograms());
  const folder = mkdtempSync(join(tmpdir(), "tollgate-postgres-"));
  try {
    const asUser = await userSwitch(folder);
    const data = join(folder, "data");
    const initdb = [programs.initdb, "-D", data, "-U", "tollgate", "-A", "trust", "-E", "UTF8", "--locale=C", "-N"];
    await run([...asUser, ...initdb], "initdb");
    const port = freePort();
    const server = [programs.postgres, "-D", data, "-p", String(port), "-k", folder, "-h", "127.0.0.1"];
    const settings = ["-c", "fsync=off", "-c", "max_connections=200"];
    const watchdog = startWatched([...asUser, ...server, ...settings], folder);
    const url = `postgres://tollgate@127.0.0.1:${port}/postgres`;
    await untilReady(url, watchdog, folder);
    return { url, stop: () => stopWatched(watchdog) };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

interface Programs {
  readonly initdb: string;
  readonly postgres: string;
}

/** Searches the PATH, then the directories of Debian's packages, newest version first. */
function findPrograms(): Programs | null {
  const initdb = Bun.which("initdb");
  const postgres = Bun.which("postgres");
  if (initdb !== null && postgres !== null) return { initdb, postgres };
  const root = "/usr/lib/postgresql";
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : [];
  for (const version of versions) {
    const found = { initdb: join(root, version, "bin/initdb"), postgres: join(root, version, "bin/postgres") };
    if (existsSync(found.initdb) && existsSync(found.postgres)) return found;
  }
  return null;
}

async function installPrograms(): Promise<Programs> {
  const advice = "Set DATABASE_URL to a Postgres for tests, or install one (Debian: apt-get install postgresql).";
  const reason = "No Postgres: DATABASE_URL is not set, and initdb is neither on the PATH nor in /usr/lib/postgresql.";
  if (userInfo().uid !== 0 || Bun.which("apt-get") === null) {
    throw new Error(`${reason} It cannot be installed without root and apt-get. ${advice}`);
  }
  try {
    const install = [
      "apt-get",
      "install",
      "-y",
      "--no-install-recommends",
      "-o",
      "DPkg::Lock::Timeout=120",
      "postgresql",
    ];
    await run(["apt-get", "update"], "apt-get update");
    await run(["env", "DEBIAN_FRONTEND=noninteractive", ...install], "apt-get install postgresql");
  } catch (error) {
    throw new Error(`${reason} The installation failed. ${advice}`, { cause: error });
  }
  const found = findPrograms();
  if (found === null) throw new Error(`${reason} It is missing even after the installation. ${advice}`);
  return found;
}

/** The command prefix to run as another user, because Postgres does not run as root. That user then owns the directory. */
async function userSwitch(folder: string): Promise<string[]> {
  if (userInfo().uid !== 0) return [];
  const users = readFileSync("/etc/passwd", "utf8").split("\n");
  const user = users.some((line) => line.startsWith("postgres:")) ? "postgres" : "nobody";
  await run(["chown", user, folder], "chown");
  if (Bun.which("setpriv") !== null) return ["setpriv", `--reuid=${user}`, "--clear-groups"];
  return ["runuser", "-u", user, "--"];
}

/**
 * Runs the server below a shell that waits for the end of its input, which comes when this process closes it or ends, even
 * by SIGKILL. The shell then stops the server and removes the directory.
 */
function startWatched(command: readonly string[], folder: string): ChildProcess {
  const script = `
    trap '' INT TERM HUP
    folder=$1; shift
    "$@" </dev/null >"$folder/log" 2>&1 &
    cat >/dev/null
    kill -INT "$(head -n 1 "$folder/data/postmaster.pid" 2>/dev/null || echo $!)" 2>/dev/null
    wait
    rm -rf "$folder"`;
  const watchdog = spawn("sh", ["-c", script, "sh", folder, ...command], {
    // In its own process group, so that it can clean up after a signal to ours.
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    cwd: folder,
  });
  watchdog.unref();
  return watchdog;
}

async function stopWatched(watchdog: ChildProcess): Promise<void> {
  if (watchdog.exitCode !== null) return;
  watchdog.ref();
  const ended = new Promise((resolve) => watchdog.once("exit", resolve));
  watchdog.stdin?.end();
  await ended;
}

async function untilReady(url: string, watchdog: ChildProcess, folder: string): Promise<void> {
  const deadline = performance.now() + startTimeoutMs;
  for (;;) {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
    try {
      await client.connect();
      return;
    } catch (error) {
      if (performance.now() > deadline) {
        const log = readFileSync(join(folder, "log"), "utf8").slice(-2_000);
        await stopWatched(watchdog);
        throw new Error(`Postgres did not start within ${startTimeoutMs / 1000} s. Its log ends:\n${log}`, {
          cause: error,
        });
      }
      await Bun.sleep(50);
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

async function run(command: readonly string[], name: string): Promise<void> {
  const child = Bun.spawn([...command], { cwd: "/", stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [output, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`${name} exited with ${code}: ${(errors || output).slice(-2_000)}`);
}

async function main(): Promise<number> {
  // Bun removes the `--`, Node does not.
  const given = process.argv.slice(2);
  const command = given[0] === "--" ? given.slice(1) : given;
  if (command.length === 0) {
    console.error("Usage: scripts/bun.sh scripts/postgres.ts -- COMMAND [ARGUMENT...]");
    return 2;
  }
  const postgres = await startPostgres();
  try {
    const child = Bun.spawn(command, {
      env: { ...process.env, DATABASE_URL: postgres.url },
      stdio: ["inherit", "inherit", "inherit"],
    });
    // The terminal sends Ctrl-C to the command too; wait until it has ended.
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
    return await child.exited;
  } finally {
    await postgres.stop();
  }
}

if (import.meta.main) process.exitCode = await main();

/**
 * A real searx for tests: Debian's package, whose JSON is SearXNG's, over engines that read local data alone. `findSearx()`
 * installs it if it is missing and this is root on a system with apt-get.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { freePort } from "./free-port.ts";

/** Where Debian's package puts its parts. They are for the system's own Python. */
const python = "/usr/bin/python3";
const module = "/usr/lib/python3/dist-packages/searx/webapp.py";
const share = "/usr/share/python3-searx";

const startTimeoutMs = 30_000;

/** Whether there is a searx, installed now if need be: null, or why not. */
export async function findSearx(): Promise<string | null> {
  if (isInstalled()) return null;
  if (userInfo().uid !== 0 || Bun.which("apt-get") === null) {
    return "searx is not installed, and cannot be without root and apt-get (Debian: apt-get install searx)";
  }
  const install = ["apt-get", "install", "-y", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=120", "searx"];
  const isGood = (await succeeds(install)) || ((await succeeds(["apt-get", "update"])) && (await succeeds(install)));
  return isGood && isInstalled() ? null : "searx cannot be installed: apt-get has failed";
}

function isInstalled(): boolean {
  return [python, module, share].every((path) => existsSync(path));
}

async function succeeds(command: readonly string[]): Promise<boolean> {
  const environment = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const child = Bun.spawn([...command], { cwd: "/", env: environment, stdio: ["ignore", "ignore", "ignore"] });
  return (await child.exited) === 0;
}

export interface RunningSearx {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Starts searx on a free port of 127.0.0.1. `stop()`, or any end of this process, stops it and removes its files.
 * @param engines as its settings have them
 */
export async function startSearx(engines: readonly object[]): Promise<RunningSearx> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-searx-"));
  const port = freePort();
  const settings = join(folder, "settings.yml");
  // JSON is YAML too.
  writeFileSync(settings, JSON.stringify(settingsFor(port, engines)));
  // The shell waits for the end of its input, which comes when this process closes it or ends, even by SIGKILL.
  const script = `
    trap '' INT TERM HUP
    folder=$1; shift
    "$@" </dev/null >"$folder/log" 2>&1 &
    cat >/dev/null
    kill -KILL $! 2>/dev/null
    wait
    rm -rf "$folder"`;
  const watchdog = spawn("sh", ["-c", script, "sh", folder, python, "-m", "searx.webapp"], {
    env: { PATH: "/usr/bin:/bin", LANG: "C.UTF-8", SEARX_SETTINGS_PATH: settings },
    // In its own process group, so that it can clean up after a signal to ours.
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    cwd: folder,
  });
  watchdog.unref();
  const stop = async () => {
    if (watchdog.exitCode !== null) return;
    const ended = new Promise((resolve) => watchdog.once("exit", resolve));
    watchdog.ref();
    watchdog.stdin?.end();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const url = `http://127.0.0.1:${port}`;
  const deadline = performance.now() + startTimeoutMs;
  while (!(await answers(url))) {
    if (performance.now() > deadline) {
      const log = readFileSync(join(folder, "log"), "utf8").slice(-2_000);
      await stop();
      throw new Error(`searx did not start within ${startTimeoutMs / 1000} s. Its log ends:\n${log}`);
    }
    await Bun.sleep(50);
  }
  return { url, stop };
}

/** All that searx reads of its settings: the package has no defaults. */
function settingsFor(port: number, engines: readonly object[]): object {
  return {
    general: { debug: false, instance_name: "searx", contact_url: false, enable_stats: false },
    brand: Object.fromEntries(
      ["git_url", "git_branch", "issue_url", "docs_url", "public_instances", "wiki_url", "twitter_url"].map((name) => [
        name,
        "",
      ]),
    ),
    search: { safe_search: 0, autocomplete: "", default_lang: "", ban_time_on_fail: 0, max_ban_time_on_fail: 0 },
    server: {
      port,
      bind_address: "127.0.0.1",
      secret_key: crypto.randomUUID(),
      base_url: false,
      image_proxy: false,
      http_protocol_version: "1.1",
      method: "GET",
      default_http_headers: {},
    },
    ui: {
      static_path: `${share}/static`,
      templates_path: `${share}/templates`,
      default_theme: "oscar",
      default_locale: "",
    },
    outgoing: { request_timeout: 2, useragent_suffix: "" },
    checker: { off_when_debug: true },
    engines,
    locales: { en: "English" },
    doi_resolvers: { "doi.org": "https://doi.org/" },
    default_doi_resolver: "doi.org",
  };
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/search?q=a&format=json&engines=none`)).status > 0;
  } catch {
    return false;
  }
}

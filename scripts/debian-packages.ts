/** Installs Debian's packages for tests that run real programs, if they are missing and this is root on a system with apt-get. */
import { userInfo } from "node:os";

/** Whether there are these programs, installed now if need be: null, or why not. */
export async function findPrograms(programs: readonly string[], packages: readonly string[]): Promise<string | null> {
  if (areThere(programs)) return null;
  const names = packages.join(" ");
  if (userInfo().uid !== 0 || Bun.which("apt-get") === null) {
    return `${names}: not installed, and cannot be without root and apt-get (Debian: apt-get install ${names})`;
  }
  const options = ["-y", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=120"];
  const install = ["apt-get", "install", ...options, ...packages];
  const isGood = (await succeeds(install)) || ((await succeeds(["apt-get", "update"])) && (await succeeds(install)));
  return isGood && areThere(programs) ? null : `${names}: cannot be installed, since apt-get has failed`;
}

function areThere(programs: readonly string[]): boolean {
  return programs.every((program) => Bun.which(program) !== null);
}

async function succeeds(command: readonly string[]): Promise<boolean> {
  const environment = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const child = Bun.spawn([...command], { cwd: "/", env: environment, stdio: ["ignore", "ignore", "ignore"] });
  return (await child.exited) === 0;
}

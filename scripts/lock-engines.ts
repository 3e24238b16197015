/**
 * Takes claims about Node from package-lock.json that do not hold here: `npm run lock-engines`, after a change of
 * dependencies. Libraries run on Bun alone, whatever Node they would want, and npm warns of each on an older Node. The
 * tools that Node does run keep theirs: `engines` in package.json is what they need.
 */
import { file, semver, write } from "bun";

const lockFile = `${import.meta.dir}/../package-lock.json`;

/** The oldest Node that `engines` in package.json admits. */
export const oldestNode = "20.19.0";

export interface Lock {
  readonly packages: Record<string, { engines?: { node?: string } & Record<string, string>; bin?: unknown }>;
}

/** The packages of a lock file that claim to need a newer Node, by their places in it. */
export function packagesForNewerNode({ packages }: Lock): string[] {
  return Object.entries(packages).flatMap(([place, { engines }]) =>
    engines?.node === undefined || semver.satisfies(oldestNode, engines.node) ? [] : [place],
  );
}

if (import.meta.main) {
  // npm wrote it.
  const lock = (await file(lockFile).json()) as Lock;
  for (const place of packagesForNewerNode(lock)) {
    const entry = lock.packages[place];
    if (entry?.bin !== undefined) throw new Error(`${place} has a program that Node runs: it needs an older version.`);
    delete entry?.engines;
    console.log(`taken from ${place}`);
  }
  await write(lockFile, `${JSON.stringify(lock, null, 2)}\n`);
}

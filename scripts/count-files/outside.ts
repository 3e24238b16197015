/** Of these paths, those that are not in the folder. Paths are relative to the repository, with slashes. */
export function filesOutside(files: readonly string[], folder: string): string[] {
  const inside = `${folder.replace(/^\.\//, "").replace(/\/+$/, "")}/`;
  return [...new Set(files)].filter((file) => !file.startsWith(inside)).toSorted();
}

/** The files that a range of commits (`main..HEAD`) adds, changes or removes. Throws git's own words if it is not one. */
export async function filesOfDiff(range: string): Promise<string[]> {
  if (range.startsWith("-")) throw new Error(`"${range}" is not a range of commits`);
  const command = ["git", "diff", "--name-only", "--no-renames", "-z", range, "--"];
  const child = Bun.spawn(command, { stdout: "pipe", stderr: "pipe" });
  const [output, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(errors.trim());
  return output.split("\0").filter((file) => file !== "");
}

import { formatTable } from "../format.ts";
import { describeTime } from "../keys/describe-key.ts";
import type { ConfigOptions } from "../options.ts";
import { withStorage } from "../with-storage.ts";
import { changeView } from "./versions.ts";

/** `tollgate prices list`: the versions, oldest first, with who made them and which one is in force. */
export async function listVersions(options: ConfigOptions & { readonly json?: boolean }): Promise<void> {
  const changes = await withStorage(options, async ({ prices }) => prices.changes());
  const { versionsOf } = await import("../../billing/price-lists/price-versions.ts");
  const versions = versionsOf(changes).map(({ change, inForce }) => ({ ...changeView(change), in_force: inForce }));
  if (options.json === true) {
    const activations = changes.map(changeView);
    return console.log(JSON.stringify({ object: "list", data: versions, changes: activations }));
  }
  if (versions.length === 0) return console.log("There is no price list yet: it is made when the gateway starts.");
  const rows = versions.map(({ version, created_at, author, note, in_force }) => {
    return [String(version), in_force ? "in force" : "", describeTime(created_at * 1_000), author, note];
  });
  console.log(formatTable([["VERSION", "", "CREATED (UTC)", "AUTHOR", "NOTE"], ...rows], [0]));
}

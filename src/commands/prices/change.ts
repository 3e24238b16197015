import { userInfo } from "node:os";
import type { ChangeNote, Published } from "../../billing/price-lists/change-prices.ts";
import { CommandFailure } from "../exit-codes.ts";
import { operator } from "../operator.ts";
import type { ConfigOptions } from "../options.ts";
import { withStorage } from "../with-storage.ts";
import { changeView, findChange } from "./versions.ts";

export interface ChangeOptions extends ConfigOptions {
  readonly json?: boolean;
  readonly author?: string;
  readonly note?: string;
}

/** `tollgate prices activate N` */
export async function activate(version: number, options: ChangeOptions): Promise<void> {
  const published = await withStorage(options, async (storage) => {
    await findChange(storage, version);
    const { activateVersion } = await import("../../billing/price-lists/change-prices.ts");
    return activateVersion(storage.prices, version, noteOf(options, `version ${version} again`));
  });
  report(published, options);
}

/** `tollgate prices rollback` */
export async function rollback(options: ChangeOptions): Promise<void> {
  const published = await withStorage(options, async (storage) => {
    const { rollBack } = await import("../../billing/price-lists/change-prices.ts");
    return rollBack(storage.prices, noteOf(options, "rolled back")).catch((error: unknown) => {
      throw new CommandFailure(error instanceof Error ? error.message : String(error));
    });
  });
  report(published, options);
}

/** Who makes a change, and why. The name `configuration` is for changes that a start makes. */
export function noteOf({ author, note }: ChangeOptions, otherwise: string): ChangeNote {
  if (author === "configuration") throw new CommandFailure("the author 'configuration' is reserved for the gateway");
  return { by: operator(), author: author ?? userName(), note: note ?? otherwise };
}

function userName(): string {
  const { USER: user, LOGNAME: login } = process.env;
  const name = user || login || userInfo().username;
  // A container may run under a number that has no name.
  return name === "configuration" || name === "unknown" ? "operator" : name;
}

/** Prints what is in force after a change. */
export function report({ change, isNew }: Published, { json }: ChangeOptions, more: object = {}): void {
  if (json === true) {
    return console.log(JSON.stringify({ object: "price_list.change", ...changeView(change), changed: isNew, ...more }));
  }
  console.log(
    isNew
      ? `Version ${change.version} is in force. Running gateways charge by it within a second.`
      : `Nothing to change: version ${change.version} is in force.`,
  );
}

import type { Command } from "commander";
import { addChangeKey, addEnableKey } from "./change.ts";
import { addCreateKey } from "./create.ts";
import { addDisableKey } from "./disable.ts";
import { addListKeys } from "./list.ts";
import { addRotateKey } from "./rotate.ts";
import { addShowKey } from "./show.ts";

const help = `
A key is shown once, when it is created or rotated; only its hash is stored. Its ID is the public part after "sk-tg-".
Changes take effect at once in all running gateways on the same storage.

Examples:
  tollgate keys create --name alice --models "gpt-5-mini,local/*" --rpm 60 --expires 30d
  tollgate keys list
  tollgate keys change 0123456789 --rpm 120
  tollgate keys rotate 0123456789 --overlap 1h
  tollgate keys disable 0123456789`;

/** `tollgate keys ...`: manages the API keys of the configured storage. */
export function addKeys(program: Command): void {
  const keys = program
    .command("keys")
    .description("Create, list, show, change, rotate, disable and enable API keys")
    .addHelpText("after", help);
  addCreateKey(keys);
  addListKeys(keys);
  addShowKey(keys);
  addChangeKey(keys);
  addRotateKey(keys);
  addDisableKey(keys);
  addEnableKey(keys);
}

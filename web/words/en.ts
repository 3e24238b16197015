/** All words of the console, in English. A translation has the same form. */
import { account } from "./en/account.ts";
import { accounts } from "./en/accounts.ts";
import { api } from "./en/api.ts";
import { audit } from "./en/audit.ts";
import { backends } from "./en/backends.ts";
import { bodies } from "./en/bodies.ts";
import { changes } from "./en/changes.ts";
import { common, help, palette, places, range, roles, shell } from "./en/common.ts";
import { explorer } from "./en/explorer.ts";
import { jobs } from "./en/jobs.ts";
import { keys } from "./en/keys.ts";
import { models } from "./en/models.ts";
import { overview } from "./en/overview.ts";
import { prices } from "./en/prices.ts";
import { record, requests } from "./en/requests.ts";
import { settings } from "./en/settings.ts";
import { signIn } from "./en/sign-in.ts";

export const words = {
  product: "Tollgate",
  account,
  accounts,
  api,
  audit,
  backends,
  bodies,
  changes,
  common,
  explorer,
  help,
  jobs,
  keys,
  models,
  overview,
  palette,
  places,
  prices,
  range,
  record,
  requests,
  roles,
  settings,
  shell,
  signIn,
} as const;

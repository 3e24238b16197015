import { z } from "zod";
import * as accounts from "../admin/accounts/account-schemas.ts";
import * as audits from "../admin/audit/audit-schemas.ts";
import * as bodies from "../admin/usage/body-schemas.ts";
import * as budgets from "../admin/accounts/budget-schemas.ts";
import * as changes from "../admin/audit/change-schemas.ts";
import * as keys from "../admin/keys/key-schemas.ts";
import * as media from "../admin/media/media-schemas.ts";
import * as prices from "../admin/prices/price-schemas.ts";
import { draftInput } from "../admin/catalog/route-schemas.ts";
import { type Descriptions, input, json } from "./description.ts";

const open = z.looseObject({});
const key = { name: "Key", schema: keys.keyObject };
const issuedKey = { name: "IssuedKey", schema: keys.issuedKeyObject };
const account = { name: "Account", schema: accounts.accountObject };
const entry = { name: "LedgerEntry", schema: accounts.entryObject };
const tagPolicy = { name: "TagPolicy", schema: accounts.tagPolicyObject };
const postedEntry = { name: "PostedEntry", schema: accounts.postedEntryObject };
const budget = { name: "Budget", schema: budgets.budgetObject };
const priceVersion = { name: "PriceVersion", schema: prices.versionObject };
const published = { name: "PriceChange", schema: prices.publishedObject };
const activation = { ...input("Activation", prices.activationInput), isOptional: true } as const;
const bodyLog = { name: "BodyLog", schema: bodies.bodyLogObject };
const requestBodies = { name: "RequestBodies", schema: bodies.bodiesObject };
const deletedBodies = { name: "DeletedBodies", schema: bodies.deletedBodiesObject };
const bytes = { name: "Bytes", schema: z.string().meta({ format: "binary" }) };
const content = (description: string) => ({ description, content: { "*/*": bytes } });
const audit = { name: "Audit", schema: audits.auditObject };
const event = { name: "Event", schema: media.eventObject };
const route = {
  name: "Route",
  schema: z.looseObject({
    id: z.string(),
    source: z.enum(["config", "storage"]),
    line: z
      .int()
      .nullable()
      .meta({ description: "The line of the configuration file that sets it; null if it is stored." }),
    updated_at: z.int().nullable(),
  }),
};
const routeInput = input(
  "RouteInput",
  z.looseObject({ alias: z.string().optional(), targets: z.array(z.unknown()).optional() }),
);
const deletedRoute = {
  name: "DeletedRoute",
  schema: z.object({ id: z.string(), object: z.literal("route"), deleted: z.literal(true) }),
};
const listOf = (name: string, item: z.ZodType) => ({
  name,
  schema: z.object({ object: z.literal("list"), data: z.array(item) }),
});

/** The paths for operators. */
export const operatorPaths: Descriptions = {
  "GET /api/admin/keys": {
    summary: "List the API keys, newest first, without their secrets",
    tag: "keys",
    access: "admin",
    query: keys.keyListQuery,
    answer: json({ page: key }, "A page of keys"),
  },
  "POST /api/admin/keys": {
    summary: "Create an API key and show its secret, once",
    tag: "keys",
    access: "admin",
    body: input("NewKey", keys.newKeyInput),
    answer: json(issuedKey, "The new key", 201),
  },
  "GET /api/admin/keys/{id}": {
    summary: "Show an API key",
    tag: "keys",
    access: "admin",
    answer: json(key, "The key"),
  },
  "PATCH /api/admin/keys/{id}": {
    summary: "Change, disable or enable an API key; what is absent stays as it is",
    tag: "keys",
    access: "admin",
    body: input("KeyChange", keys.keyChangeInput),
    answer: json(key, "The changed key"),
  },
  "POST /api/admin/keys/{id}/rotate": {
    summary: "Give an API key a new secret and show it, once",
    tag: "keys",
    access: "admin",
    body: { ...input("Rotation", keys.rotationInput), isOptional: true },
    answer: json(issuedKey, "The key with its new secret"),
  },
  "GET /api/admin/keys/{id}/access": {
    summary: "Show which models a key can call at which endpoints, and why not the others; nothing is called",
    tag: "keys",
    access: "admin",
    query: keys.keyAccessQuery,
    answer: json({ name: "KeyAccess", schema: keys.keyAccessObject }, "A page of models and routes"),
  },
  "GET /api/admin/accounts": {
    summary: "List the accounts with their balances, sorted by id",
    tag: "accounts",
    access: "admin",
    query: accounts.accountListQuery,
    answer: json({ page: account }, "A page of accounts"),
  },
  "POST /api/admin/accounts": {
    summary: "Create an account",
    tag: "accounts",
    access: "admin",
    body: input("NewAccount", accounts.newAccountInput),
    answer: json(account, "The new account", 201),
  },
  "GET /api/admin/accounts/{id}": {
    summary: "Show an account: its balance, what is held, what is available",
    tag: "accounts",
    access: "admin",
    answer: json(account, "The account"),
  },
  "GET /api/admin/accounts/{id}/tags": {
    summary: "Show which tags the requests of an account must have, and the values that tags may have",
    tag: "accounts",
    access: "admin",
    answer: json(tagPolicy, "What the tags have to be"),
  },
  "PUT /api/admin/accounts/{id}/tags": {
    summary: "Set them, as a whole",
    tag: "accounts",
    access: "admin",
    body: input("TagPolicyInput", accounts.tagPolicyInput),
    answer: json(tagPolicy, "What the tags have to be"),
  },
  "GET /api/admin/accounts/{id}/entries": {
    summary: "List the entries of an account's ledger, newest first",
    tag: "accounts",
    access: "admin",
    query: accounts.entryListQuery,
    answer: json({ page: entry }, "A page of entries"),
  },
  "POST /api/admin/accounts/{id}/entries": {
    summary: "Credit or debit an account; with an idempotency key, once",
    tag: "accounts",
    access: "admin",
    body: input("NewEntry", accounts.newEntryInput),
    answer: json(postedEntry, "The entry; 200 if it had been booked before", 201),
  },
  "GET /api/admin/budgets": {
    summary: "List the budgets with what was spent of them, newest first",
    tag: "budgets",
    access: "admin",
    query: budgets.budgetListQuery,
    answer: json({ page: budget }, "A page of budgets"),
  },
  "POST /api/admin/budgets": {
    summary: "Set a budget for the requests that match all of its fields",
    tag: "budgets",
    access: "admin",
    body: input("NewBudget", budgets.newBudgetInput),
    answer: json(budget, "The new budget", 201),
  },
  "GET /api/admin/budgets/{id}": {
    summary: "Show a budget with what was spent and is held of it",
    tag: "budgets",
    access: "admin",
    answer: json(budget, "The budget"),
  },
  "DELETE /api/admin/budgets/{id}": {
    summary: "Remove a budget",
    tag: "budgets",
    access: "admin",
    answer: json({ name: "DeletedBudget", schema: budgets.deletedBudgetObject }, "What was removed"),
  },
  "GET /api/admin/prices": {
    summary: "List the versions of the price list, newest first",
    tag: "prices",
    access: "admin",
    query: prices.versionListQuery,
    answer: json({ page: priceVersion }, "A page of versions"),
  },
  "GET /api/admin/prices/{id}": {
    summary: "Show a version of the price list by number, or the one in force as `current`",
    tag: "prices",
    access: "admin",
    query: prices.priceListQuery,
    answer: json({ name: "PriceList", schema: prices.priceListObject }, "What the models of this gateway cost"),
  },
  "GET /api/admin/prices/replay": {
    summary: "Tell what the usage of the last days would have cost by each of two versions",
    tag: "prices",
    access: "admin",
    query: prices.replayQuery,
    answer: json({ name: "PriceReplay", schema: prices.priceReplayObject }, "The costs, in all and by model"),
  },
  "GET /api/admin/prices/diff": {
    summary: "Show each price that differs between two versions",
    tag: "prices",
    access: "admin",
    query: prices.diffQuery,
    answer: json({ name: "PriceDiff", schema: prices.priceDiffObject }, "The differences"),
  },
  "GET /api/admin/prices/{id}/export": {
    summary: "Export the configured and imported prices of a version as a configuration writes them",
    tag: "prices",
    access: "admin",
    answer: json({ name: "PriceExport", schema: prices.priceExportObject }, "The prices by layer"),
  },
  "POST /api/admin/prices/import": {
    summary: "Put the prices of a file in force in place of those imported before",
    tag: "prices",
    access: "admin",
    query: prices.importQuery,
    body: input("PriceFile", open),
    answer: json({ name: "PriceImport", schema: prices.importedObject }, "What is in force now, and what was left out"),
  },
  "POST /api/admin/prices/preview": {
    summary:
      "Show what an import would change, and what the usage of the last 30 days would have cost; nothing changes",
    tag: "prices",
    access: "admin",
    query: prices.previewQuery,
    body: input("PriceFile", open),
    answer: json({ name: "PricePreview", schema: prices.pricePreviewObject }, "What would change"),
  },
  "POST /api/admin/prices/{id}/activate": {
    summary: "Put an earlier version of the price list in force again",
    tag: "prices",
    access: "admin",
    body: activation,
    answer: json(published, "What is in force now"),
  },
  "POST /api/admin/prices/rollback": {
    summary: "Put the version before the one in force in force again",
    tag: "prices",
    access: "admin",
    body: activation,
    answer: json(published, "What is in force now"),
  },
  "GET /api/admin/changes": {
    summary: "Read the audit trail: who changed what, newest first",
    tag: "changes",
    access: "admin",
    query: changes.changeListQuery,
    answer: json({ page: { name: "Change", schema: changes.changeObject } }, "A page of changes"),
  },
  "GET /api/admin/videos": {
    summary: "List the video jobs of all accounts, newest first",
    tag: "videos",
    access: "admin",
    query: media.videoListQuery,
    answer: json({ page: { name: "OperatorVideo", schema: media.operatorVideo } }, "A page of jobs"),
  },
  "GET /api/admin/events": {
    summary: "List what webhooks are told of, newest first",
    tag: "events",
    access: "admin",
    query: media.eventListQuery,
    answer: json({ page: event }, "A page of events"),
  },
  "POST /api/admin/events/{id}/replay": {
    summary: "Tell all webhooks of an event once more",
    tag: "events",
    access: "admin",
    answer: json(event, "The event"),
  },
  "GET /api/admin/routes": {
    summary: "List the routes of the configuration and of the storage",
    tag: "routes",
    access: "admin",
    answer: json(listOf("RouteList", route.schema), "The routes"),
  },
  "PUT /api/admin/routes/{id+}": {
    summary: "Create or replace a stored route, in the format of the configuration",
    tag: "routes",
    access: "admin",
    body: routeInput,
    answer: json(route, "The route"),
  },
  "POST /api/admin/explain-route": {
    summary:
      "Explain where a request for a route would go that is not stored yet; nothing changes, no provider is asked",
    tag: "routes",
    access: "admin",
    query: z.object({ endpoint: z.string().default("chat") }),
    body: input("RouteDraft", draftInput),
    answer: json({ name: "DraftExplanation", schema: open }, "The candidates in order, and those left out"),
  },
  "DELETE /api/admin/routes/{id+}": {
    summary: "Remove a stored route",
    tag: "routes",
    access: "admin",
    answer: json(deletedRoute, "What was removed"),
  },
  "GET /api/admin/requests/{id}": {
    summary: "Show the record of a request of any key, with its attempts and what they cost",
    tag: "usage",
    access: "admin",
    answer: json({ name: "OperatorRecord", schema: open }, "The record"),
  },
  "GET /api/admin/health": {
    summary: "Show how each target has been doing",
    tag: "health",
    access: "admin",
    answer: json(listOf("HealthList", open), "The targets"),
  },
  "POST /api/admin/audit": {
    summary: "Begin an audit of the whole book, which runs in the background; one can run at a time",
    tag: "audits",
    access: "admin",
    answer: json(audit, "The audit that has begun", 202),
  },
  "GET /api/admin/audits": {
    summary: "List the last 100 audits, newest first",
    tag: "audits",
    access: "admin",
    query: audits.auditListQuery,
    answer: json({ page: audit }, "A page of audits"),
  },
  "GET /api/admin/audits/{id}": {
    summary: "Show an audit: how far it is, and the first 1,000 of its findings",
    tag: "audits",
    access: "admin",
    answer: json({ name: "AuditWithFindings", schema: audits.fullAuditObject }, "The audit"),
  },
  "POST /api/admin/audits/{id}/cancel": {
    summary: "Cancel a running audit, in whichever gateway it runs",
    tag: "audits",
    access: "admin",
    answer: json(audit, "The audit; one of another gateway ends within seconds"),
  },
  "GET /api/admin/accounts/{id}/log-bodies": {
    summary: "Show whether the bodies of an account's requests are kept, and how",
    tag: "accounts",
    access: "admin",
    answer: json(bodyLog, "How bodies are kept"),
  },
  "PATCH /api/admin/accounts/{id}/log-bodies": {
    summary: "Change it; what is absent stays as it is, and null stands for what is usual",
    tag: "accounts",
    access: "admin",
    body: input("BodyLogInput", bodies.bodyLogInput),
    answer: json(bodyLog, "How bodies are kept"),
  },
  "DELETE /api/admin/accounts/{id}/bodies": {
    summary: "Delete all kept bodies of an account's requests",
    tag: "accounts",
    access: "admin",
    answer: json(deletedBodies, "What was deleted"),
  },
  "GET /api/admin/requests/{id}/bodies": {
    summary: "Show the kept bodies of a request of any key",
    tag: "usage",
    access: "admin",
    answer: json(requestBodies, "The bodies"),
  },
  "DELETE /api/admin/requests/{id}/bodies": {
    summary: "Delete the kept bodies of a request",
    tag: "usage",
    access: "admin",
    answer: json(deletedBodies, "What was deleted"),
  },
  "GET /api/admin/videos/{id}/content": {
    summary: "Play the film of a job of any account, or a range of it",
    tag: "videos",
    access: "admin",
    answer: content("The film"),
  },
  "GET /api/admin/files": {
    summary: "List the files of all accounts, newest first",
    tag: "files",
    access: "admin",
    query: media.fileListQuery,
    answer: json({ page: { name: "OperatorFile", schema: media.operatorFile } }, "A page of files"),
  },
  "GET /api/admin/files/{id}/content": {
    summary: "Look at a file of any account, or a range of it",
    tag: "files",
    access: "admin",
    answer: content("The bytes; a browser saves what is no image, sound or film"),
  },
};

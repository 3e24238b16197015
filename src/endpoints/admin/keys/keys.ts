import type { z } from "zod";
import type { ApiKey } from "../../../access/key.ts";
import { changeKey, createKey, type IssuedKey, type KeySettingsChange, rotateKey } from "../../../access/manage.ts";
import { invalidParameter, notFound } from "../../../errors.ts";
import { type Answer, jsonAnswer } from "../../../pipeline/answer.ts";
import type { Services } from "../../../pipeline/services.ts";
import { adminActor, identifyAdmin } from "../../keyed.ts";
import type { Visit } from "../../visit.ts";
import { keyChangeInput, keyListQuery, newKeyInput, rotationInput } from "./key-schemas.ts";
import { toPage } from "../input/page.ts";
import { showKeys } from "./show-keys.ts";
import { readInput, readQuery } from "../input/read-input.ts";
import { withStorage } from "../input/with-storage.ts";

/** `GET /api/admin/keys`: newest first. */
export async function listKeys(visit: Visit): Promise<Answer> {
  const { services, request } = visit;
  await identifyAdmin(services, request);
  const { limit, after = null } = readQuery(visit, keyListQuery);
  const { keys } = services;
  return withStorage(services, async () => {
    if (after !== null && (await keys.find(after)) === null) throw invalidParameter("after", "the id of a key");
    const found = await keys.page({ limit: limit + 1, after });
    const shown = await showKeys(services, found);
    return jsonAnswer(
      toPage(
        shown,
        limit,
        (view) => view,
        ({ id }) => id,
      ),
    );
  });
}

/** `POST /api/admin/keys`: creates a key and shows its secret, once. */
export async function createKeyByAdmin(visit: Visit): Promise<Answer> {
  const { services, request } = visit;
  const by = await adminActor(services, request);
  const input = await readInput(visit, newKeyInput);
  const { keys, clock } = services;
  const settings = {
    name: input.name.trim(),
    scopes: {
      models: input.models ?? null,
      endpoints: input.endpoints ?? null,
      domains: input.domains ?? null,
      ipRanges: input.ip_ranges ?? null,
    },
    limits: { requestsPerMinute: null, tokensPerMinute: null, concurrentRequests: null, ...limitsOf(input) },
    expiresAt: expiryOf(input.expires_at ?? null, clock.now()),
    admin: input.admin ?? false,
    ...(input.account === undefined ? {} : { accountId: input.account }),
    ...(input.tags === undefined ? {} : { tags: input.tags }),
  };
  const issued = await withStorage(services, async () => {
    const { account } = input;
    if (account !== undefined && (await services.managed.accounts.find(account)) === null) {
      throw invalidParameter("account", "the id of an account");
    }
    return createKey(keys, settings, clock, by);
  });
  return jsonAnswer(await issuedView(services, issued), 201);
}

/** `GET /api/admin/keys/{id}` */
export async function showKey({ services, request, id }: Visit): Promise<Answer> {
  await identifyAdmin(services, request);
  const key = await withStorage(services, async () => services.keys.find(id));
  return shown(services, key);
}

/** `PATCH /api/admin/keys/{id}`: changes what is given and leaves the rest. */
export async function changeKeyByAdmin(visit: Visit): Promise<Answer> {
  const { services, request, id } = visit;
  const by = await adminActor(services, request);
  const input = await readInput(visit, keyChangeInput);
  const { keys, clock } = services;
  const change = changeOf(input, clock.now());
  return shown(services, await withStorage(services, () => changeKey(keys, id, change, clock, by)));
}

/** `POST /api/admin/keys/{id}/rotate`: gives a key a new secret and shows it, once. */
export async function rotateKeyByAdmin(visit: Visit): Promise<Answer> {
  const { services, request, id } = visit;
  const by = await adminActor(services, request);
  const { overlap = 0 } = await readInput(visit, rotationInput);
  const { keys, clock } = services;
  const issued = await withStorage(services, () => rotateKey(keys, id, overlap, clock, by));
  if (issued === null) throw unknownKey();
  return jsonAnswer(await issuedView(services, issued));
}

function changeOf(input: z.output<typeof keyChangeInput>, now: number): KeySettingsChange {
  const { name, models, endpoints, domains, ip_ranges: ipRanges, expires_at: expiresAt, admin, disabled, tags } = input;
  return {
    ...(name === undefined ? {} : { name: name.trim() }),
    ...(admin === undefined ? {} : { admin }),
    ...(disabled === undefined ? {} : { disabled }),
    ...(tags === undefined ? {} : { tags }),
    ...(expiresAt === undefined ? {} : { expiresAt: expiryOf(expiresAt, now) }),
    scopes: {
      ...(models === undefined ? {} : { models }),
      ...(endpoints === undefined ? {} : { endpoints }),
      ...(domains === undefined ? {} : { domains }),
      ...(ipRanges === undefined ? {} : { ipRanges }),
    },
    limits: limitsOf(input),
  };
}

/** The limits that are given. */
function limitsOf({ limits = {} }: z.output<typeof keyChangeInput>) {
  const { requests_per_minute: requests, tokens_per_minute: tokens, concurrent_requests: concurrent } = limits;
  return {
    ...(requests === undefined ? {} : { requestsPerMinute: requests }),
    ...(tokens === undefined ? {} : { tokensPerMinute: tokens }),
    ...(concurrent === undefined ? {} : { concurrentRequests: concurrent }),
  };
}

/** Milliseconds since 1970; null for never. */
function expiryOf(time: number | string | null, now: number): number | null {
  if (time === null) return null;
  const milliseconds = typeof time === "number" ? time * 1000 : Date.parse(time);
  if (!(milliseconds > now)) throw invalidParameter("expires_at", "a time in the future");
  return milliseconds;
}

async function issuedView(services: Services, { apiKey, key }: IssuedKey) {
  const [view] = await showKeys(services, [apiKey]);
  return { id: apiKey.id, key, ...view };
}

async function shown(services: Services, key: ApiKey | null): Promise<Answer> {
  if (key === null) throw unknownKey();
  const [view] = await showKeys(services, [key]);
  return jsonAnswer(view);
}

function unknownKey() {
  // What was given may be a mistyped secret.
  return notFound("key_not_found", "There is no key with this id.", "id");
}

import type { Identity } from "../../access/identity.ts";
import { userOf } from "../../console/session.ts";
import { type Answer, jsonAnswer } from "../../pipeline/answer.ts";
import { notFound } from "../../errors.ts";
import type { Services } from "../../pipeline/services.ts";
import { encodeRecord } from "../../records/public-record.ts";
import type { UsageRecord } from "../../records/record.ts";
import { identify } from "../keyed.ts";
import type { Visit } from "../visit.ts";

/** Longer ids are no ids. */
const maxIdLength = 256;

/**
 * `GET /api/usage/requests/{id}`: the record of a request made with the same key, by request id or response id; for a user of the
 * console, of one made for its account, by request id.
 */
export async function lookUpRecord({ services, request, id }: Visit): Promise<Answer> {
  const identity = await identify(services, request);
  const record = await findOwnRecord(services, identity, id);
  if (!record) throw noSuchRequest(identity);
  return jsonAnswer(encodeRecord(record, { hideProvider: services.hideProvider }));
}

/** The record of a request that is the key's or, for a user of the console, its account's. */
export async function findOwnRecord(
  { recorder }: Services,
  identity: Identity,
  id: string,
): Promise<UsageRecord | null> {
  if (id.length > maxIdLength) return null;
  if (userOf(identity) === null) return recorder.find(identity.key.id, id);
  const record = await recorder.findAnyones(id);
  return record?.accountId === identity.key.accountId ? record : null;
}

export function noSuchRequest(identity: Identity) {
  const message =
    userOf(identity) === null
      ? "No request with this id was made with this API key."
      : "No request with this id was made for this account.";
  return notFound("request_not_found", message, "request_id");
}

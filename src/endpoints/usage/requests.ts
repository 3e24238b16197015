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
  const record = id.length > maxIdLength ? null : await findOwn(services, identity, id);
  if (!record) {
    const message =
      userOf(identity) === null
        ? "No request with this id was made with this API key."
        : "No request with this id was made for this account.";
    throw notFound("request_not_found", message, "request_id");
  }
  return jsonAnswer(encodeRecord(record, { hideProvider: services.hideProvider }));
}

async function findOwn({ recorder }: Services, identity: Identity, id: string): Promise<UsageRecord | null> {
  if (userOf(identity) === null) return recorder.find(identity.key.id, id);
  const record = await recorder.findAnyones(id);
  return record?.accountId === identity.key.accountId ? record : null;
}

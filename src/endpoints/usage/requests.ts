import { type Answer, jsonAnswer } from "../../pipeline/answer.ts";
import { notFound } from "../../errors.ts";
import { encodeRecord } from "../../records/public-record.ts";
import { identify } from "../keyed.ts";
import type { Visit } from "../visit.ts";

/** Longer ids are no ids. */
const maxIdLength = 256;

/** `GET /api/usage/requests/{id}`: the record of a request made with the same key, by request id or response id. */
export async function lookUpRecord({ services, request, id }: Visit): Promise<Answer> {
  const identity = await identify(services, request);
  const record = id.length > maxIdLength ? null : await services.recorder.find(identity.key.id, id);
  if (!record) {
    throw notFound("request_not_found", "No request with this id was made with this API key.", "request_id");
  }
  return jsonAnswer(encodeRecord(record, { hideProvider: services.hideProvider }));
}

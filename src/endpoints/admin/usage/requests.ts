import { notFound } from "../../../errors.ts";
import { type Answer, jsonAnswer } from "../../../pipeline/answer.ts";
import { encodeForOperator } from "../../../records/public-record.ts";
import { identifyAdmin } from "../../keyed.ts";
import type { Visit } from "../../visit.ts";

/** Longer ids are no ids. */
const maxIdLength = 256;

/** `GET /api/admin/requests/{id}`: anyone's record by request id, with its attempts and what they cost the operator. */
export async function lookUpForOperator({ services, request, id }: Visit): Promise<Answer> {
  await identifyAdmin(services, request);
  const record = id.length > maxIdLength ? null : await services.recorder.findAnyones(id);
  if (!record) throw notFound("request_not_found", "There is no request with this id.", "request_id");
  return jsonAnswer(encodeForOperator(record, { hideProvider: services.hideProvider }));
}

import { type Answer, jsonAnswer } from "../../pipeline/answer.ts";
import type { Services } from "../../pipeline/services.ts";
import {
  checkParameters,
  filterParameters,
  operatorParameters,
  type Parameters,
  readOwner,
  type RecordOwner,
} from "../../usage/read-filter.ts";
import { readSummaryQuery, summaryParameters } from "../../usage/summary-query.ts";
import { encodeSummary } from "../../usage/summary-view.ts";
import { summarize } from "../../usage/summarize.ts";
import { identify, identifyAdminOfKeys, ownRecords } from "../keyed.ts";
import { fromStorage } from "./list.ts";
import { queryOf, type Visit } from "../visit.ts";

/** `GET /api/usage/summary`: what the requests of the key that asks add up to. */
export async function showSummary({ services, request }: Visit): Promise<Answer> {
  const owner = ownRecords(await identify(services, request));
  const parameters = queryOf(request.target);
  // A credential may come in the query.
  parameters.delete("key");
  checkParameters(parameters, [...summaryParameters, ...filterParameters]);
  return answer(services, parameters, owner);
}

/** `GET /api/admin/usage/summary`: the same over all keys. */
export async function showSummaryForOperator({ services, request }: Visit): Promise<Answer> {
  await identifyAdminOfKeys(services, request);
  const parameters = queryOf(request.target);
  checkParameters(parameters, [...summaryParameters, ...filterParameters, ...operatorParameters]);
  return answer(services, parameters, readOwner(parameters));
}

async function answer(services: Services, parameters: Parameters, owner: RecordOwner): Promise<Answer> {
  const query = readSummaryQuery(parameters, owner, services.hideProvider);
  return jsonAnswer(encodeSummary(await fromStorage(services, () => summarize(services.usage, query)), query));
}

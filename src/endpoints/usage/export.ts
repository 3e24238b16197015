import type { Answer } from "../../pipeline/answer.ts";
import type { Services } from "../../pipeline/services.ts";
import { encodeForOperator, encodeRecord } from "../../records/public-record.ts";
import { exportRecords, readFormat } from "../../usage/export/export.ts";
import {
  checkParameters,
  filterParameters,
  minimumParameters,
  operatorParameters,
  type Parameters,
  readFilter,
  readOwner,
  type RecordOwner,
} from "../../usage/read-filter.ts";
import { identify, identifyAdminOfKeys, ownRecords } from "../keyed.ts";
import { fromStorage } from "./list.ts";
import { queryOf, type Visit } from "../visit.ts";

/** `GET /api/usage/export`: the records of the key that asks, as a file. */
export async function exportUsage({ services, request }: Visit): Promise<Answer> {
  const owner = ownRecords(await identify(services, request));
  const parameters = queryOf(request.target);
  // A credential may come in the query.
  parameters.delete("key");
  checkParameters(parameters, ["format", ...filterParameters, ...minimumParameters]);
  return answer(services, parameters, owner, encodeRecord);
}

/** `GET /api/admin/usage/export`: the same of all keys. */
export async function exportForOperator({ services, request }: Visit): Promise<Answer> {
  await identifyAdminOfKeys(services, request);
  const parameters = queryOf(request.target);
  checkParameters(parameters, ["format", ...filterParameters, ...minimumParameters, ...operatorParameters]);
  return answer(services, parameters, readOwner(parameters), encodeForOperator);
}

async function answer(
  services: Services,
  parameters: Parameters,
  owner: RecordOwner,
  encode: typeof encodeRecord,
): Promise<Answer> {
  const format = readFormat(parameters);
  const { hideProvider } = services;
  const filter = readFilter(parameters, owner, { hidesProvider: hideProvider });
  // A storage that does not answer is an error as long as nothing has been sent.
  await fromStorage(services, () => services.usage.list(filter, { limit: 1, before: null }));
  return {
    status: 200,
    headers: {
      "content-type": format.contentType,
      "content-disposition": `attachment; filename="${format.fileName}"`,
    },
    body: null,
    pieces: exportRecords(services.usage, filter, format, { hideProvider, encode }),
  };
}

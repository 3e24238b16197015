import { type Answer, jsonAnswer } from "../../pipeline/answer.ts";
import { GatewayError, overloaded } from "../../errors.ts";
import type { Services } from "../../pipeline/services.ts";
import { encodeForOperator, encodeRecord } from "../../records/public-record.ts";
import { allKeys, decodeCursor, encodeCursor } from "../../usage/cursor.ts";
import {
  checkParameters,
  filterParameters,
  minimumParameters,
  operatorParameters,
  type Parameters,
  readFilter,
  readLimit,
  readOwner,
} from "../../usage/read-filter.ts";
import type { RecordFilter } from "../../usage/usage-store.ts";
import { identify, identifyAdminOfKeys, ownRecords } from "../keyed.ts";
import { queryOf, type Visit } from "../visit.ts";

/** `GET /api/usage/requests`: the records of the key that asks, newest first. */
export async function listRecords({ services, request }: Visit): Promise<Answer> {
  const identity = await identify(services, request);
  const parameters = queryOf(request.target);
  // A credential may come in the query.
  parameters.delete("key");
  checkParameters(parameters, [...listParameters, ...filterParameters, ...minimumParameters]);
  const list = {
    filter: readFilter(parameters, ownRecords(identity), { hidesProvider: services.hideProvider }),
    owner: identity.key.id,
    encode: encodeRecord,
  };
  return listPage(services, parameters, list);
}

/** `GET /api/admin/usage/requests`: the records of all keys, with their attempts. */
export async function listForOperator({ services, request }: Visit): Promise<Answer> {
  await identifyAdminOfKeys(services, request);
  const parameters = queryOf(request.target);
  checkParameters(parameters, [...listParameters, ...filterParameters, ...minimumParameters, ...operatorParameters]);
  const filter = readFilter(parameters, readOwner(parameters), { hidesProvider: services.hideProvider });
  return listPage(services, parameters, { filter, owner: allKeys, encode: encodeForOperator });
}

const listParameters = ["limit", "after"];

interface List {
  readonly filter: RecordFilter;
  /** Whose cursors are good. */
  readonly owner: string;
  readonly encode: typeof encodeRecord;
}

async function listPage(services: Services, parameters: Parameters, { filter, owner, encode }: List): Promise<Answer> {
  const limit = readLimit(parameters);
  const after = parameters.get("after");
  const before = after === null ? null : decodeCursor(owner, after);
  const records = await fromStorage(services, () => services.usage.list(filter, { limit: limit + 1, before }));
  const shown = records.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = records.length > limit && last !== undefined;
  return jsonAnswer({
    object: "list",
    data: shown.map((record) => encode(record, { hideProvider: services.hideProvider })),
    has_more: hasMore,
    next: hasMore ? encodeCursor(owner, last.id) : null,
  });
}

/**
 * Reads usage once all records that were committed so far are in the storage.
 * @throws 503 if the storage does not answer
 */
export async function fromStorage<Result>(services: Services, read: () => Promise<Result>): Promise<Result> {
  await services.recorder.stored();
  try {
    return await read();
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    services.log.warn({ error: String(error) }, "usage could not be read from the storage");
    throw overloaded("storage_unavailable", "Usage cannot be read at the moment; try again shortly.", 5);
  }
}

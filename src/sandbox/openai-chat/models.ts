import type { Catalog } from "../dialect.ts";
import { unknownModel } from "../models.ts";

const created = 1_767_225_600;

/** `GET /v1/models`. */
export function listModels(catalog: Catalog): unknown {
  return { object: "list", data: catalog.ids.map(writeModel) };
}

/** `GET /v1/models/{id}`; the id may contain slashes. Throws OpenAI's 404. */
export function describeModel(id: string, catalog: Catalog): unknown {
  if (!catalog.has(id)) throw unknownModel(id);
  return writeModel(id);
}

function writeModel(id: string): unknown {
  return { id, object: "model", created, owned_by: "tollgate-sandbox" };
}

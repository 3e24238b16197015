import { type Answer, jsonAnswer } from "../../pipeline/answer.ts";
import { bareModelName } from "../../dialects/gemini/fields.ts";
import type { Dialect } from "../../dialects/dialect.ts";
import type { Model } from "../../routing/names/model.ts";
import { callerDialect } from "../caller-dialect.ts";
import { listForAnthropic, modelForAnthropic } from "./anthropic.ts";
import { listForGoogle, modelForGoogle } from "./google.ts";
import { modelOfKey, modelsOfKey } from "./models-of-key.ts";
import { queryOf, type Visit } from "../visit.ts";

/** The models of a key as one vendor's SDK reads them. */
interface ModelShape {
  readonly list: (models: readonly Model[], query: URLSearchParams) => unknown;
  readonly one: (model: Model) => unknown;
  /** The id of a model, as a client of the vendor puts it into the path. */
  readonly idOf: (id: string) => string;
}

const openaiShape: ModelShape = {
  list: (models) => ({ object: "list", data: models.map(modelForOpenai) }),
  one: modelForOpenai,
  idOf: (id) => id,
};

/** Shapes by dialect; all others are given OpenAI's. */
const shapes: Readonly<Record<string, ModelShape>> = {
  "anthropic-messages": { list: listForAnthropic, one: modelForAnthropic, idOf: (id) => id },
  gemini: { list: listForGoogle, one: modelForGoogle, idOf: bareModelName },
};

/** `GET /v1/models` and `GET /v1beta/models`: the models that this key may call, in the shape of the vendor whose SDK asks. */
export async function listModels({ services, request, path }: Visit): Promise<Answer> {
  const dialect = callerDialect(services.dialects, path, request.headers);
  const models = await modelsOfKey(services, request, dialect?.keyHeader ?? null);
  return jsonAnswer(shapeFor(dialect).list(models, queryOf(request.target)));
}

/** `GET /v1/models/{id}` and `GET /v1beta/models/{id}` */
export async function retrieveModel({ services, request, path, id }: Visit): Promise<Answer> {
  const dialect = callerDialect(services.dialects, path, request.headers);
  const shape = shapeFor(dialect);
  return jsonAnswer(shape.one(await modelOfKey(services, request, dialect?.keyHeader ?? null, shape.idOf(id))));
}

function shapeFor(dialect: Dialect | null): ModelShape {
  return (dialect && shapes[dialect.name]) ?? openaiShape;
}

function modelForOpenai(model: Model) {
  return { id: model.id, object: "model", created: model.created, owned_by: model.ownedBy };
}

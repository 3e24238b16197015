import { z } from "zod";
import * as models from "../admin/catalog/model-schemas.ts";
import * as providers from "../admin/catalog/provider-schemas.ts";
import { type Descriptions, input, json } from "./description.ts";

const provider = { name: "Provider", schema: providers.providerObject };
const providerList = {
  name: "ProviderList",
  schema: z.object({ object: z.literal("list"), data: z.array(providers.providerObject) }),
};
const model = { name: "ModelDefinition", schema: models.modelObject };

/** The paths by which operators manage providers and models. */
export const catalogPaths: Descriptions = {
  "GET /api/admin/providers": {
    summary: "List the providers of the configuration and of the storage, with their health",
    tag: "providers and models",
    access: "admin",
    answer: json(providerList, "The providers"),
  },
  "POST /api/admin/providers": {
    summary: "Create a provider in the storage, in the format of the configuration",
    tag: "providers and models",
    access: "admin",
    body: input("NewProvider", providers.newProviderInput),
    answer: json(provider, "The new provider", 201),
  },
  "GET /api/admin/providers/{id}": {
    summary: "Show a provider with its health and its last error",
    tag: "providers and models",
    access: "admin",
    answer: json(provider, "The provider"),
  },
  "PATCH /api/admin/providers/{id}": {
    summary: "Change a stored provider; what is absent stays as it is, null is the default",
    tag: "providers and models",
    access: "admin",
    body: input("ProviderChange", providers.providerChangeInput),
    answer: json(provider, "The changed provider"),
  },
  "DELETE /api/admin/providers/{id}": {
    summary: "Remove a stored provider that no stored model names",
    tag: "providers and models",
    access: "admin",
    answer: json({ name: "DeletedProvider", schema: providers.deletedProviderObject }, "What was removed"),
  },
  "POST /api/admin/providers/{id}/test": {
    summary: "Ask a provider for its models, or put one tiny request to one of them",
    tag: "providers and models",
    access: "admin",
    body: { ...input("ProviderTestInput", providers.providerTestInput), isOptional: true },
    answer: json({ name: "ProviderTest", schema: providers.providerTestObject }, "What came of it"),
  },
  "GET /api/admin/models": {
    summary: "List the models of the configuration and of the storage, with the health of their targets, sorted by id",
    tag: "providers and models",
    access: "admin",
    query: models.modelListQuery,
    answer: json({ page: model }, "A page of models"),
  },
  "POST /api/admin/models": {
    summary: "Create a model in the storage, in the format of the configuration",
    tag: "providers and models",
    access: "admin",
    body: input("NewModel", models.newModelInput),
    answer: json(model, "The new model", 201),
  },
  "GET /api/admin/models/{id+}": {
    summary: "Show a model with the health of its targets",
    tag: "providers and models",
    access: "admin",
    answer: json(model, "The model"),
  },
  "PATCH /api/admin/models/{id+}": {
    summary: "Change a stored model; what is absent stays as it is, null is the default",
    tag: "providers and models",
    access: "admin",
    body: input("ModelChange", models.modelChangeInput),
    answer: json(model, "The changed model"),
  },
  "DELETE /api/admin/models/{id+}": {
    summary: "Remove a stored model that no route names",
    tag: "providers and models",
    access: "admin",
    answer: json({ name: "DeletedModel", schema: models.deletedModelObject }, "What was removed"),
  },
  "POST /api/admin/models/{id+}/test": {
    summary: "Put one tiny request to each target of a model, which its provider may charge",
    tag: "providers and models",
    access: "admin",
    answer: json({ name: "ModelTest", schema: models.modelTestObject }, "What came of it, by target"),
  },
};

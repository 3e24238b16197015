import { z } from "zod";
import * as backends from "../admin/catalog/backend-schemas.ts";
import { type Descriptions, input, json } from "./description.ts";

const backend = { name: "SearchBackend", schema: backends.backendObject };
const list = {
  name: "SearchBackendList",
  schema: z.object({ object: z.literal("list"), data: z.array(backends.backendObject) }),
};

/** The paths by which operators manage search backends. */
export const backendPaths: Descriptions = {
  "GET /api/admin/search-backends": {
    summary: "List the search backends of the configuration and of the storage, with their health",
    tag: "search backends",
    access: "admin",
    answer: json(list, "The search backends"),
  },
  "POST /api/admin/search-backends": {
    summary: "Create a search backend in the storage, in the format of the configuration",
    tag: "search backends",
    access: "admin",
    body: input("NewSearchBackend", backends.newBackendInput),
    answer: json(backend, "The new search backend", 201),
  },
  "POST /api/admin/search-backends/order": {
    summary: "Set the priorities of all stored search backends at once",
    tag: "search backends",
    access: "admin",
    body: input("SearchBackendOrder", backends.backendOrderInput),
    answer: json(list, "All search backends"),
  },
  "GET /api/admin/search-backends/{id}": {
    summary: "Show a search backend with its health and its last error",
    tag: "search backends",
    access: "admin",
    answer: json(backend, "The search backend"),
  },
  "PATCH /api/admin/search-backends/{id}": {
    summary: "Change a stored search backend; what is absent stays as it is, null is the default",
    tag: "search backends",
    access: "admin",
    body: input("SearchBackendChange", backends.backendChangeInput),
    answer: json(backend, "The changed search backend"),
  },
  "DELETE /api/admin/search-backends/{id}": {
    summary: "Remove a stored search backend",
    tag: "search backends",
    access: "admin",
    answer: json({ name: "DeletedSearchBackend", schema: backends.deletedBackendObject }, "What was removed"),
  },
  "POST /api/admin/search-backends/{id}/test": {
    summary: "Put one search to a backend, which is not charged or recorded",
    tag: "search backends",
    access: "admin",
    body: { ...input("SearchBackendTestInput", backends.backendTestInput), isOptional: true },
    answer: json({ name: "SearchBackendTest", schema: backends.backendTestObject }, "What came of it"),
  },
};

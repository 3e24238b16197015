import type { Dialect } from "../../src/dialects/dialect.ts";
import { readModelData } from "../../src/dialects/model-list.ts";
import { openaiErrorFormat } from "../../src/dialects/openai-chat/errors.ts";
import { createJob, readJob } from "./job.ts";
import { draw } from "./draw.ts";
import { measureFile } from "./measure-file.ts";
import { reverse } from "./reverse.ts";

/** A vendor that does not exist, with one operation of each kind: see docs/adding-an-operation.md. */
export const toy: Dialect = {
  name: "toy",
  title: "Toy",
  defaultBaseUrl: null,
  signing: { in: "query", parameter: "token" },
  modelList: { path: "/models", headers: {}, read: readModelData },
  keyHeader: null,
  errorFormat: openaiErrorFormat,
  readError: () => null,
  operations: [reverse, measureFile, draw, createJob, readJob],
  provides: {},
};

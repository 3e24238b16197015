import type { Dialect, Operation } from "../dialect.ts";
import type { Failure } from "../refusal.ts";
import { answerCancel, answerList, answerPrediction, readPrediction } from "./predictions.ts";

const createPath = /^\/replicate\/v1\/(?:models|deployments)\/([\w.-]+\/[\w.-]+)\/predictions$/;
const readPath = /^\/replicate\/v1\/predictions\/([\w-]+)(\/cancel)?$/;

/** Replicate's predictions, below `/replicate`. */
export const replicate: Dialect = {
  name: "replicate",

  route(method, path, headers) {
    const [, model] = createPath.exec(path) ?? [];
    const [, id, action] = readPath.exec(path) ?? [];
    const isCollection = path === "/replicate/v1/predictions";
    if (model === undefined && id === undefined && !isCollection) return null;
    const [, key] = /^(?:Bearer|Token) (.+)$/.exec(headers.authorization ?? "") ?? [];
    if (key === undefined || key.startsWith("wrong")) {
      return refuse(401, "You did not pass a valid authentication token", "Unauthenticated");
    }
    const origin = `http://${headers.host ?? ""}`;
    if (id !== undefined) {
      const isCancel = action !== undefined;
      if (method !== (isCancel ? "POST" : "GET")) return refuse(405, `Method "${method}" not allowed.`);
      const answer = isCancel ? answerCancel : answerPrediction;
      return { kind: "serve", serve: async (request) => answer(id, origin, request) };
    }
    if (method === "GET" && isCollection)
      return { kind: "serve", serve: async (request) => answerList(origin, request) };
    if (method !== "POST") return refuse(405, `Method "${method}" not allowed.`);
    if (key.startsWith("poor")) {
      return refuse(402, "You have insufficient credit to run this model.", "Insufficient credit");
    }
    const waits = /^wait(=\d+)?$/.test(headers.prefer ?? "");
    return {
      kind: "generate",
      read: (body, memory) => readPrediction(body, model ?? null, { origin, waits }, memory),
    };
  },

  // Checked with the path: most other paths of the sandbox take any.
  credential: () => null,
  takesAnyCredential: true,
  headers: () => ({}),
  writeError: writeReplicateError,
};

/** Replicate's errors; of an input that is wrong, with its fields. */
function writeReplicateError({ status, message, code, param }: Failure): string {
  if (param === null) return JSON.stringify({ ...(code !== null && { title: code }), detail: message, status });
  return JSON.stringify({
    title: "Input validation failed",
    detail: `- ${param}: ${message}\n`,
    status,
    invalid_fields: [{ type: "value_error", field: param, description: message }],
  });
}

function refuse(status: number, message: string, title: string | null = null): Operation {
  return { kind: "refuse", failure: { status, message, code: title, param: null } };
}

import type { Dialect, Operation } from "../dialect.ts";
import { writeFalError } from "./errors.ts";
import { answerCancel, answerResult, answerStatus } from "./queue.ts";
import { readSubmit } from "./submit.ts";
import { falWebhook } from "./webhook.ts";

const prefix = "/fal/";
const requestPath = /^[\w.-]+\/[\w.-]+\/requests\/([\w-]+)(\/status|\/cancel)?$/;
const appPath = /^[\w.-]+\/[\w.-]+(\/[\w.-]+)*$/;

/** fal's queues, below `/fal`: jobs of apps that make pictures and films. */
export const fal: Dialect = {
  name: "fal",

  route(method, path, headers) {
    if (!path.startsWith(prefix)) return null;
    const below = path.slice(prefix.length);
    const [, key] = /^Key (.+)$/.exec(headers.authorization ?? "") ?? [];
    if (key === undefined || key.startsWith("wrong")) return refuse(401, "Cannot authenticate: invalid key.");
    if (key.startsWith("poor")) return refuse(403, "User is locked. Reason: Exhausted balance. Top up your balance.");
    const origin = `http://${headers.host ?? ""}`;
    const [, id, action] = requestPath.exec(below) ?? [];
    if (id === undefined) {
      if (method !== "POST") return refuse(405, "Method Not Allowed");
      if (!appPath.test(below)) return refuse(404, "Not Found");
      return {
        kind: "generate",
        read: (body, memory, query) =>
          readSubmit(body, below, { origin, webhook: falWebhook(query.get("fal_webhook")) }, memory),
      };
    }
    if (action === "/cancel") {
      return method === "PUT" ? { kind: "serve", serve: async (request) => answerCancel(id, request) } : notAllowed;
    }
    if (method !== "GET") return notAllowed;
    const answer = action === "/status" ? answerStatus : answerResult;
    return { kind: "serve", serve: async (request) => answer(id, origin, request) };
  },

  // Checked with the path: the vendor has a scheme of its own.
  credential: () => null,
  takesAnyCredential: true,
  headers: (requestId) => ({ "x-fal-request-id": requestId }),
  writeError: writeFalError,
};

function refuse(status: number, message: string): Operation {
  return { kind: "refuse", failure: { status, message, code: null, param: null } };
}

const notAllowed = refuse(405, "Method Not Allowed");

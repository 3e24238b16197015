import type { Call, Dialect, Operation } from "../dialect.ts";
import { isObject, type JsonObject } from "../json.ts";
import { promptOfTexts } from "../prompt.ts";
import { Refusal, type Failure } from "../refusal.ts";
import { findPages } from "./corpus.ts";
import { fetchPage } from "./fetch-page.ts";
import type { ReadRequest, SearchVendor, VendorRequest } from "./vendor.ts";

/** `/search/tavily/...`, or `/search/tavily@second/...` for a further account of the same vendor, with a script of its own. */
const place = /^\/search\/([a-z]+)(@[\w-]+)?(\/.*)$/;

/** A vendor as a dialect of the sandbox. Scripts for it are those of the model `search/NAME`, or `search/NAME@ACCOUNT`. */
export function searchDialect(vendor: SearchVendor): Dialect {
  return {
    name: vendor.name,
    route(method, path, headers) {
      const [, name, account = "", ownPath = ""] = place.exec(path) ?? [];
      if (name !== vendor.name) return null;
      const read = vendor.route(method, ownPath);
      if (read === null)
        return { kind: "refuse", failure: failureOf(404, `Cannot ${method} ${ownPath.slice(0, 200)}`) };
      return operationOf(vendor, `search/${name}${account}`, headers, read);
    },
    // Checked with the request, since each vendor refuses in its own way.
    credential: () => null,
    takesAnyCredential: true,
    headers: (requestId) => ({ "x-request-id": requestId }),
    writeError: (failure) => JSON.stringify(vendor.writeError(failure)),
  };
}

function operationOf(
  vendor: SearchVendor,
  model: string,
  headers: VendorRequest["headers"],
  read: ReadRequest,
): Operation {
  return {
    kind: "generate",
    read(text, _, parameters): Call {
      const key = vendor.credential === null ? "" : vendor.credential(headers, parameters);
      if (key === null || key.startsWith("wrong")) throw refusalOf(vendor.badCredential(key));
      const request = read({ body: text === "" ? null : parse(text), parameters, headers });
      const refuseStream = () => {
        throw new Refusal(400, "Searches are not streamed.");
      };
      return {
        prompt: promptOfTexts(model, "urls" in request ? [...request.urls] : [request.query]),
        stream: false,
        directives: undefined,
        check() {},
        writeJson(reply, script) {
          const id = "unique" in reply.id ? reply.id.unique : reply.id.scripted;
          const answer = written(request, id);
          return JSON.stringify(isObject(script.usage) ? { ...answer, ...script.usage } : answer);
        },
        streamContentType: "text/event-stream",
        writeStream: refuseStream,
        errorFrame: (failure) => ({ data: JSON.stringify(vendor.writeError(failure)) }),
      };
    },
  };
}

function written(request: ReturnType<ReadRequest>, id: string): JsonObject {
  return "urls" in request ? request.write(request.urls.map(fetchPage), id) : request.write(findPages(request), id);
}

function parse(text: string): JsonObject {
  let body: unknown = null;
  try {
    body = JSON.parse(text);
  } catch {
    // Refused below.
  }
  if (isObject(body)) return body;
  throw new Refusal(400, "The body is not a JSON object.");
}

function failureOf(status: number, message: string): Failure {
  return { status, message, code: null, param: null };
}

function refusalOf({ status, message, code, param }: Failure): Refusal {
  return new Refusal(status, message, { code, param });
}

import { compileIdentity } from "../access/identity.ts";
import type { Responses } from "../responses/responses.ts";
import type { ReadContext } from "./operation.ts";

const notHere = () => {
  throw new Error("This test has no memory of responses.");
};

const noResponses: Responses = {
  recall: notHere,
  checkRoom: notHere,
  keep: notHere,
  find: notHere,
  inputItems: notHere,
  delete: notHere,
};

/** What an operation may look at beside the body, of a key that may do everything. */
export function exampleReadContext(fields: Partial<ReadContext> = {}): ReadContext {
  return {
    requestId: "req_01jexample",
    now: 1_700_000_000_000,
    headers: new Headers(),
    url: "http://127.0.0.1/",
    identity: exampleIdentity,
    responses: noResponses,
    ...fields,
  };
}

const exampleIdentity = compileIdentity({
  id: "example000",
  name: "example",
  secretHash: "",
  previousSecretHash: null,
  previousExpiresAt: null,
  createdAt: 0,
  expiresAt: null,
  disabledAt: null,
  scopes: { models: null, endpoints: null },
  limits: { requestsPerMinute: null, tokensPerMinute: null, concurrentRequests: null },
  admin: false,
  accountId: "default",
});

import { compileIdentity } from "../access/identity.ts";
import { exampleKey } from "../access/key.testkit.ts";
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

/** The context of an operation, for a key with all scopes. */
export function exampleReadContext(fields: Partial<ReadContext> = {}): ReadContext {
  return {
    requestId: "req_01jexample",
    now: 1_700_000_000_000,
    headers: new Headers(),
    url: "http://127.0.0.1/",
    identity: exampleIdentity,
    responses: noResponses,
    files: { open: notHere },
    hold: { addBodyBytes: () => undefined },
    videos: { remixSource: notHere },
    ...fields,
  };
}

const exampleIdentity = compileIdentity(exampleKey());

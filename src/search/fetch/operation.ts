import { openaiErrorFormat } from "../../dialects/openai-chat/errors.ts";
import { unsupportedParameter } from "../../errors.ts";
import { readJsonObject } from "../../json/read-object.ts";
import { jsonText } from "../../operations/conversation.ts";
import type { Operation, OperationInput } from "../../operations/operation.ts";
import { arrangeByLacks } from "../arrange-backends.ts";
import type { SearchBackend } from "../backend.ts";
import { findSearchProvider } from "../providers/registry.ts";
import { readBackendName } from "../read-request.ts";
import { receiptOf } from "../receipt.ts";
import { answerWithoutAsking } from "./answer.ts";
import { fetchExchange } from "./exchange.ts";
import { judgementOf, lacksFormat } from "./judgement.ts";
import type { PageFetcher } from "./page-fetcher.ts";
import { readFetchRequest } from "./read-request.ts";
import type { FetchRequest } from "./request.ts";

interface FetchInput extends OperationInput {
  readonly request: FetchRequest;
  /** The paths of fields that nobody reads. */
  readonly unread: readonly string[];
}

/** `POST /v1/fetch`: pages by their addresses, through any search provider that can. Its `model` is the backend asked for. */
export const fetchPages: Operation<FetchInput> = {
  endpoint: "fetch",
  paths: ["/v1/fetch"],
  method: "POST",
  body: "json",
  keyHeader: null,
  errorFormat: openaiErrorFormat,
  names: "backends",
  countsTokens: false,
  read(body, { identity }) {
    const { body: fields } = readJsonObject(jsonText(body), new Set());
    const unread: string[] = [];
    const request = readFetchRequest(fields, identity.domains, unread);
    return { model: readBackendName(fields.backend), stream: false, request, unread };
  },
  checkModel(_, { id, search: settings }) {
    if (!settings?.isEnabled) throw unsupportedParameter("backend", "it is disabled");
    if (fetcherOf(settings) === null) throw unsupportedParameter("backend", `'${id}' cannot fetch pages`);
  },
  arrange: ({ request }, ...choice) => arrangeByLacks((backend) => lacksFormat(request, backend), ...choice),
  failureReceipt: ({ request }, way) => receiptOf(judgementOf(request), way, null),
  expectedUsage: ({ request: { urls } }) => ({ expected: {}, max: () => ({}), writes: null, fetches: urls.length }),
  size: () => 0,
  estimateInput: async () => 0,
  exchange({ request, unread }, { provider }, { search: settings }) {
    const adapter = settings ? findSearchProvider(settings.provider) : null;
    // Without an address that may be fetched nobody is asked: `answerAlone` answers.
    if (!adapter?.fetch || request.urls.length === 0) return null;
    return fetchExchange({ request, provider: adapter, fetcher: adapter.fetch, unread }, provider);
  },
  answerAlone: async ({ request }) => (request.urls.length === 0 ? answerWithoutAsking(request) : null),
};

function fetcherOf({ provider }: SearchBackend): PageFetcher | null {
  return findSearchProvider(provider)?.fetch ?? null;
}

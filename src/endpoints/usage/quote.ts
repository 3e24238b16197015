import { type Answer, jsonAnswer } from "../../pipeline/answer.ts";
import { withBody } from "../../attribution/body-attribution.ts";
import { withHeaders } from "../../attribution/header-attribution.ts";
import { checkTags } from "../../attribution/tag-policy.ts";
import type { Identity } from "../../access/identity.ts";
import { invalidParameter, missingParameter, unsupportedParameter } from "../../errors.ts";
import { newRequestId } from "../../identifiers.ts";
import { readJsonObject } from "../../json/read-object.ts";
import { jsonText } from "../../operations/conversation.ts";
import type { Operation, OperationInput, ReadContext } from "../../operations/operation.ts";
import { quote, type QuotedLine } from "../../pipeline/balance/quote.ts";
import { checkEndpointScope, planRequest } from "../../pipeline/plan-request.ts";
import { readBody } from "../../pipeline/read-body.ts";
import { noCandidate } from "../../pipeline/refusals.ts";
import { urlOf } from "../../pipeline/request-context.ts";
import type { Services } from "../../pipeline/services.ts";
import { ParsedRequest } from "../../pipeline/stages.ts";
import { encodeLineItem } from "../../records/public-record.ts";
import type { ServerExchange } from "../../server/exchange.ts";
import { identify } from "../keyed.ts";
import { compilePath, unescapePath } from "../path-pattern.ts";
import type { Visit } from "../visit.ts";

/**
 * `POST /api/quote`: what the request with this path and body, and with the headers of this one, would cost. It is checked as
 * the request would be, and nothing is sent, held or recorded.
 */
export async function quoteRequest({ services, request }: Visit): Promise<Answer> {
  const identity = await identify(services, request);
  const admission = services.limits.admit(identity, true);
  try {
    const hold = services.capacity.admit(identity.key.id);
    try {
      const text = jsonText(await readBody(services, null, request, "json", hold));
      return await quoted(services, request, identity, { text, hold });
    } finally {
      hold.release();
    }
  } finally {
    admission.release();
  }
}

async function quoted(
  services: Services,
  request: ServerExchange,
  identity: Identity,
  { text, hold }: { readonly text: string; readonly hold: ReadContext["hold"] },
): Promise<Answer> {
  const { path, body, ...others } = readJsonObject(text, new Set()).body;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw invalidParameter(unknown.slice(0, 64), "the fields path and body alone");
  if (path === undefined || path === null) throw missingParameter("path");
  if (typeof path !== "string") throw invalidParameter("path", "the path of a billable request");
  if (body === undefined || body === null) throw missingParameter("body");
  if (typeof body !== "object" || Array.isArray(body)) throw invalidParameter("body", "an object");
  const operation = operationAt(services, path);
  checkEndpointScope(identity, operation.endpoint);
  const { accountId, tags } = identity.key;
  const attribution = withHeaders(identity.attribution, tags, request.headers);
  const now = services.clock.now();
  const context = { headers: request.headers, url: urlOf(path), requestId: newRequestId(now), now, identity };
  const given = { kind: "json" as const, text: JSON.stringify(body) };
  const { responses, files, videos } = services;
  const input = await operation.read(given, { ...context, responses, files, videos, hold });
  const parsed = new ParsedRequest(operation, input);
  const said = parsed.attribution();
  const whole = said === null ? attribution : withBody(attribution, said, tags);
  const policy = services.tagPolicies.of(accountId);
  if (policy !== null) checkTags(policy, whole);
  const plan = await planRequest(services, identity, parsed, true);
  const [candidate] = plan.candidates;
  if (candidate === undefined) throw noCandidate(plan);
  const { markupBasisPoints } = await services.accounts.find(accountId);
  const usage = parsed.expectedUsage();
  const { estimated, greatest } = quote({ plan, candidate, usage, markupBasisPoints, at: now });
  return jsonAnswer({
    object: "quote",
    path,
    model: parsed.model,
    resolved_model: candidate.model.id,
    pricing_version: plan.prices.version,
    currency: "USD",
    estimated: {
      amount_microusd: estimated.amountMicrousd,
      status: estimated.status,
      line_items: estimated.lineItems.map(encodeLineItem),
    },
    greatest:
      "lacks" in greatest
        ? { amount_microusd: null, line_items: [], unbounded: `the model '${greatest.model}' has no ${greatest.lacks}` }
        : { amount_microusd: greatest.amountMicrousd, line_items: greatest.lineItems.map(encodeQuotedLine) },
  });
}

function encodeQuotedLine({ dimension, ...line }: QuotedLine) {
  return dimension === "rounding"
    ? { ...encodeLineItem({ ...line, dimension: "markup" }), dimension }
    : encodeLineItem({ ...line, dimension });
}

/** The billable operation of a path. @throws 400 naming `path` */
function operationAt({ dialects }: Services, target: string): Operation<OperationInput> {
  const path = unescapePath(target.replace(/\?.*$/s, ""));
  for (const { operations } of dialects.all) {
    for (const operation of operations) {
      if (operation.method !== "POST" || operation.isFree) continue;
      if (!operation.paths.some((known) => (known.includes("{") ? compilePath(known).match(path) : known === path))) {
        continue;
      }
      if (operation.body === "json" || operation.body === "json_or_multipart") return operation;
      const message =
        "Requests of this path are forms with a file, whose length decides what they cost: they cannot be quoted.";
      throw unsupportedParameter("path", message);
    }
  }
  throw invalidParameter("path", "the path of a billable request, such as /v1/chat/completions");
}

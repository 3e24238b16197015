import { withBody } from "../attribution/body-attribution.ts";
import { checkTags } from "../attribution/tag-policy.ts";
import { withHeaders } from "../attribution/header-attribution.ts";
import type { Identity } from "../access/identity.ts";
import type { Admission } from "../access/limits.ts";
import { authenticate } from "../access/authenticate.ts";
import { checkAddress } from "../access/caller-address.ts";
import { readCredential } from "../access/credentials.ts";
import { overloaded } from "../errors.ts";
import type { Claim } from "../idempotency/store.ts";
import { tokensToBook } from "../metering/expected-usage.ts";
import { nextTurn } from "../next-turn.ts";
import type { Operation, OperationInput, RequestBody } from "../operations/operation.ts";
import { type Plan, withoutModels } from "../routing/choice/plan.ts";
import type { ServerExchange } from "../server/exchange.ts";
import type { Answer } from "./answer.ts";
import type { Attempt } from "./attempt/attempt.ts";
import { findAnswer } from "./attempt/find-answer.ts";
import { type Funding, fundRequest } from "./balance/fund-request.ts";
import { type CallerDeadline, watchCallerDeadline } from "./caller-deadline.ts";
import type { Hold } from "./capacity/capacity.ts";
import { deliver } from "./delivery/deliver.ts";
import { claimKey, replay } from "./idempotent.ts";
import { checkEndpointScope, loosestLimits, planRequest } from "./plan-request.ts";
import type { Progress } from "./finished-request.ts";
import { readBody } from "./read-body.ts";
import { noCandidate } from "./refusals.ts";
import { refuse } from "./refuse.ts";
import { RequestContext, urlOf } from "./request-context.ts";
import type { Services } from "./services.ts";
import { type Answered, asAnswered, type Parsed, ParsedRequest } from "./stages.ts";
import { beginJob, type BegunJob } from "./videos/begin-job.ts";
import { submitJob } from "./videos/submit-job.ts";
import { answerWithSearches } from "./web-search/answer-with-searches.ts";
import type { RanSearch } from "./web-search/ran-search.ts";

/**
 * The path of every billable request: authenticate, admit, read, plan, fund, find an answer, deliver. Each stage returns what
 * it found. A request that fails on the way is answered and settled here; one that is delivered is settled by its delivery.
 * Returns the answer, or null if it is a stream that has begun.
 */
export async function serve<Input extends OperationInput>(
  services: Services,
  operation: Operation<Input>,
  path: string,
  exchange: ServerExchange,
  pageHeaders: RequestContext["pageHeaders"],
): Promise<Answer | null> {
  const { headers } = exchange;
  const url = urlOf(exchange.target);
  const context = new RequestContext(exchange, path, services.clock.now(), services.steady.now(), pageHeaders);
  const attempts: Attempt[] = [];
  let identity: Identity | null = null;
  let hold: Hold | null = null;
  let admission: Admission | null = null;
  let deadline: CallerDeadline | null = null;
  let claim: Claim | null = null;
  let parsed: Parsed | null = null;
  let plan: Plan | null = null;
  let funding: Funding | null = null;
  let searches: RanSearch[] | null = null;
  let job: BegunJob | null = null;
  let answered: Answered;
  const progress = (): Progress => {
    return {
      context,
      operation,
      identity,
      hold,
      admission,
      deadline,
      claim,
      parsed,
      plan,
      funding,
      attempts,
      searches,
      job,
    };
  };
  services.inFlight.add();
  try {
    checkOpen(services, context);
    const credential = readCredential(headers, url, operation.keyHeader);
    identity = await authenticate(credential, services.keys, services.clock);
    context.attribution = identity.attribution;
    hold = services.capacity.admit(identity.key.id);
    admission = services.limits.admit(identity, operation.isFree);
    if (identity.ipRanges !== null) checkAddress(identity.ipRanges, exchange, services.trustedProxies);
    checkEndpointScope(identity, operation.endpoint);
    context.attribution = withHeaders(identity.attribution, identity.key.tags, headers);
    deadline = watchCallerDeadline(services, context, headers);

    const reading = readBody(services, context, exchange, operation.body, hold);
    const body = reading instanceof Promise ? await reading : reading;
    const claimed = operation.isFree ? null : await claimKey(services, context, identity, headers, url, body);
    if (claimed?.kind === "replay") {
      return replay(services, progress(), claimed);
    }
    claim = claimed?.claim ?? null;
    context.bodies = services.bodyLog.begin(identity.key.accountId, body);
    const { id: requestId, startedAt } = context;
    const readContext = {
      headers,
      url,
      requestId,
      now: startedAt,
      identity,
      responses: services.responses,
      files: services.files,
      hold,
      videos: services.videos,
    };
    parsed = new ParsedRequest(operation, await operation.read(body, readContext));
    const said = parsed.attribution();
    if (said !== null) context.attribution = withBody(context.attribution, said, identity.key.tags);
    const policy = services.tagPolicies.of(identity.key.accountId);
    if (policy !== null) checkTags(policy, context.attribution);
    const large = isLarge(body);
    if (large) await nextTurn();
    plan = await planRequest(services, identity, parsed);
    if (large) await nextTurn();
    if (plan.candidates.length === 0) throw noCandidate(plan);
    const recalled = parsed.recall(plan.candidates, services);
    if (recalled !== null) return deliver({ services, progress: progress(), answered: asAnswered(recalled) }, exchange);
    if (identity.key.limits.tokensPerMinute !== null && !operation.isFree) {
      admission.bookTokens(tokensToBook(parsed.expectedUsage(), loosestLimits(plan)));
    }
    const funded = fundRequest(services, {
      requestId,
      startedAt,
      identity,
      parsed,
      plan,
      attribution: context.attribution,
    });
    funding = funded instanceof Promise ? await funded : funded;
    const { maxOutputTokens, uncoveredModels } = funding;
    if (uncoveredModels !== null) plan = withoutModels(plan, uncoveredModels);
    const deadlineAt = deadline?.at ?? null;
    const search = { services, context, parsed, plan, maxOutputTokens, deadlineAt, attempts };
    const begins = parsed.job;
    if (begins !== null) {
      job = await beginJob(services, progress(), begins);
      claim = null;
    }
    answered = job === null ? await findAnswer(search) : await submitJob(job, search);
    const { attempt } = answered;
    const rounds = attempt?.exchange.rounds;
    if (attempt && rounds) {
      searches = [];
      const { candidate } = attempt;
      const { prices } = plan;
      const asked = { services, identity, requestId, rounds, parsed, plan, candidate, prices, deadlineAt, headers };
      answered = await answerWithSearches({ ...asked, attempts, searches }, context, answered);
    }
  } catch (thrown) {
    return refuse(services, progress(), thrown);
  }
  return deliver({ services, progress: progress(), answered }, exchange);
}

/** A body beyond so many characters takes milliseconds at each stage: others are served in between. */
const largeBody = 128 << 10;

function isLarge(body: RequestBody): boolean {
  return body.kind === "json" && body.text.length > largeBody;
}

/** 503 while no new request can be taken in: no provider is called for what could not be finished or recorded. */
function checkOpen({ inFlight, recorder }: Services, context: RequestContext): void {
  if (inFlight.draining) throw overloaded("draining", "The gateway is shutting down.", 1);
  context.hasRecordRoom = recorder.reserve();
  if (context.hasRecordRoom) return;
  throw overloaded("storage_unavailable", "Usage cannot be recorded at the moment.", 5);
}

import type { BodyAttribution } from "../attribution/body-attribution.ts";
import type { Exchange, Observation, WholeAnswer } from "../dialects/exchange.ts";
import type { DimensionName } from "../dimensions.ts";
import type {
  CapabilityUse,
  ExchangeTools,
  LastPiece,
  Operation,
  OperationInput,
  Recalled,
} from "../operations/operation.ts";
import type { JsonObject } from "../json/values.ts";
import type { JobFacts } from "../operations/videos/job-facts.ts";
import type { RequestWay } from "../operations/request-way.ts";
import type { Candidate } from "../routing/choice/candidate.ts";
import type { Arrange } from "../routing/choice/plan.ts";
import type { ExpectedUsage } from "../metering/expected-usage.ts";
import { nothingUsed, type Usage } from "../metering/usage.ts";
import type { Model, Target } from "../routing/names/model.ts";
import type { Attempt } from "./attempt/attempt.ts";
import type { TargetAnswer } from "./attempt/target-answer.ts";

/** A request whose body is understood. What is derived from it is worked out once, and only if it is asked for. */
export interface Parsed {
  readonly model: string;
  readonly stream: boolean;
  readonly operation: Pick<
    Operation<OperationInput>,
    "endpoint" | "isFree" | "errorFormat" | "limitsOutput" | "names" | "countsTokens"
  >;
  /** The maximum tokens of one answer, as the caller asks; undefined if that is not known without reading on. */
  readonly maxOutputTokens: number | undefined;
  /** An upper bound of the tokens read; 0 if there is none to compare. */
  readonly size: number;
  /** What the body says of for whom it is; null if it says nothing. */
  attribution(): BodyAttribution | null;
  expectedUsage(): ExpectedUsage;
  capabilities(): readonly CapabilityUse[];
  /** A careful figure of the tokens read. */
  estimateInput(): Promise<number>;
  /** Null if the answer's tokens are all that is measured. */
  readonly measure:
    | ((observation: Observation, isPriced: (name: DimensionName) => boolean) => Usage | Promise<Usage>)
    | null;
  checkModel(model: Model): void;
  /** The job that it begins; null if it begins none. */
  readonly job: JobFacts | null;
  /** Null if the destination's strategy decides. */
  readonly arrange: Arrange | null;
  /** How a request without an answer was looked after; null if nothing is told. */
  failureReceipt(way: RequestWay): JsonObject | null;
  exchange(candidate: Candidate, tools: ExchangeTools): ReturnType<Operation<OperationInput>["exchange"]>;
  /** An answer from before, which no candidate need be asked for; null if there is none. */
  recall(candidates: readonly Candidate[], tools: Pick<ExchangeTools, "searchCache">): Recalled | null;
  /** Null if the gateway has no answer of its own. */
  readonly answerAlone: (() => Promise<WholeAnswer | null>) | null;
  /** Null if nothing is kept of the answer beside its record. */
  readonly keep: ((lastPiece: LastPiece, target: Target) => Promise<void>) | null;
}

/** The reading of an operation. */
export class ParsedRequest<Input extends OperationInput> implements Parsed {
  readonly operation: Operation<Input>;
  readonly #input: Input;
  #expected: ExpectedUsage | null = null;
  #capabilities: readonly CapabilityUse[] | null = null;
  #tokens: Promise<number> | null = null;

  constructor(operation: Operation<Input>, input: Input) {
    this.operation = operation;
    this.#input = input;
  }

  get model(): string {
    return this.#input.model;
  }

  get stream(): boolean {
    return this.#input.stream;
  }

  get maxOutputTokens(): number | undefined {
    return this.#input.maxOutputTokens;
  }

  get size(): number {
    return this.operation.size(this.#input);
  }

  attribution(): BodyAttribution | null {
    return this.operation.attribution?.(this.#input) ?? null;
  }

  expectedUsage(): ExpectedUsage {
    return (this.#expected ??= this.operation.expectedUsage(this.#input));
  }

  capabilities(): readonly CapabilityUse[] {
    return (this.#capabilities ??= this.operation.capabilities?.(this.#input) ?? []);
  }

  estimateInput(): Promise<number> {
    return (this.#tokens ??= this.operation.estimateInput(this.#input));
  }

  get measure(): Parsed["measure"] {
    const { operation } = this;
    if (!operation.measure) return null;
    return (observation, isPriced) => operation.measure?.(this.#input, observation, isPriced) ?? nothingUsed;
  }

  checkModel(model: Model): void {
    this.operation.checkModel?.(this.#input, model);
  }

  get job(): JobFacts | null {
    return this.operation.job?.(this.#input) ?? null;
  }

  get arrange(): Arrange | null {
    const { operation } = this;
    return operation.arrange ? (...choice) => operation.arrange?.(this.#input, ...choice) ?? [] : null;
  }

  failureReceipt(way: RequestWay): JsonObject | null {
    return this.operation.failureReceipt?.(this.#input, way) ?? null;
  }

  exchange({ target, model }: Candidate, tools: ExchangeTools): ReturnType<Parsed["exchange"]> {
    return this.operation.exchange(this.#input, target, model, tools);
  }

  recall(...asked: Parameters<Parsed["recall"]>): Recalled | null {
    return this.operation.recall?.(this.#input, ...asked) ?? null;
  }

  get answerAlone(): Parsed["answerAlone"] {
    const { operation } = this;
    return operation.answerAlone ? async () => operation.answerAlone?.(this.#input) ?? null : null;
  }

  get keep(): Parsed["keep"] {
    const { operation } = this;
    return operation.keep ? async (lastPiece, target) => operation.keep?.(this.#input, lastPiece, target) : null;
  }
}

/** An answer and its source. */
export interface Answered {
  readonly answer: TargetAnswer;
  readonly warnings: Exchange["warnings"];
  readonly model: Model | null;
  /** Null if the gateway answers by itself. */
  readonly attempt: Attempt | null;
  readonly target: Target | null;
}

/** An answer from before: no attempt was made for it, and nothing is held. */
export function asAnswered({ answer, warnings, model }: Recalled): Answered {
  return { answer: { kind: "whole", answer }, warnings, model, attempt: null, target: null };
}

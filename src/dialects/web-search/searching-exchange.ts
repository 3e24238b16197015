import { openCollector } from "../../conversation/collect.ts";
import { eventsOf } from "../../conversation/events-of.ts";
import type { SearchOutcome } from "../../conversation/parts.ts";
import type { ConversationRequest } from "../../conversation/request.ts";
import type { StreamEvent } from "../../conversation/stream.ts";
import { type AskedQuery, SearchLoop } from "../../conversation/web-search/search-loop.ts";
import { readFields } from "../../sse/event.ts";
import { checkStructure } from "../exchanges/bounded-json.ts";
import { type EventCollector, type EventStream, framedCollector, framedStream } from "../exchanges/event-reader.ts";
import { EventObserver, observeResponse } from "../exchanges/observe-events.ts";
import { encodeStream, readResponse, streamForm } from "../exchanges/through-neutral.ts";
import { putRequest, type Translation } from "../exchanges/translate.ts";
import type { StreamEncoder } from "../codec.ts";
import type { AnswerCollector, AnswerStream, AskedSearch, Exchange, SearchRounds, WholeAnswer } from "../exchange.ts";
import type { OfferedSearch } from "./offer-search.ts";

/** A request whose model may search, on its way to a provider. */
export type SearchingTranslation = Omit<Translation, "request"> & { readonly search: OfferedSearch };

/**
 * Puts a request to a provider whose model may search by the gateway. Throws a 400 if the provider has nothing to do a
 * field of it with.
 */
export function searchingExchange(translation: SearchingTranslation): Exchange {
  return new SearchingAnswer(translation).first();
}

/** Results of a search by how much of the context they are to take. */
const maxResults = { low: 4, medium: 6, high: 10 } as const;

/**
 * One answer that is read in several rounds. A stream is written as it comes; of a whole answer the events are gathered, and
 * written when the last round has been read.
 */
class SearchingAnswer implements SearchRounds {
  readonly #translation: SearchingTranslation;
  readonly #loop: SearchLoop;
  readonly #observer: EventObserver;
  #writer: StreamEncoder | null = null;
  /** Of a whole answer: the events of the rounds before this one and the searches after them, and those of this one. */
  #events: StreamEvent[] = [];
  #roundEvents: StreamEvent[] = [];
  #queries: readonly AskedQuery[] = [];
  #searches: readonly AskedSearch[] = [];

  constructor(translation: SearchingTranslation) {
    const { search, context, caller } = translation;
    this.#translation = translation;
    this.#loop = new SearchLoop(search, context.fallbackId, caller.joinsTexts);
    this.#observer = new EventObserver((id) => caller.answerId(id, context));
  }

  first(): Exchange {
    const { search } = this.#translation;
    const exchange = this.#exchange(search.conversation);
    return { ...exchange, warnings: [...new Set([...exchange.warnings, ...search.asked.unread])], rounds: this };
  }

  get asked(): readonly AskedSearch[] {
    if (this.#loop.asked !== this.#queries) {
      this.#queries = this.#loop.asked;
      this.#searches = this.#queries.map((query) => this.#search(query));
    }
    return this.#searches;
  }

  next(): ReturnType<SearchRounds["next"]> {
    this.#events.push(...this.#roundEvents);
    this.#roundEvents = [];
    const { request, events } = this.#loop.next();
    return { exchange: this.#exchange(request), bytes: this.#tell(events) };
  }

  #search(query: AskedQuery): AskedSearch {
    const loop = this.#loop;
    const { events, isAllowed } = loop.begin(query);
    return {
      body: isAllowed ? this.#bodyOf(query) : null,
      begin: () => this.#tell(events),
      end: (outcome: SearchOutcome, units: number) =>
        this.#tell(loop.found(query, isAllowed ? outcome : loop.refusal(query), units)),
    };
  }

  #bodyOf({ query }: AskedQuery) {
    const { asked, settings } = this.#translation.search;
    return {
      query,
      backend: settings.backend,
      max_results: maxResults[asked.contextSize],
      region: asked.country,
      include_domains: asked.allowedDomains,
      exclude_domains: asked.blockedDomains,
    };
  }

  /** Adds events to the answer. Returns the bytes for the caller of a stream. */
  #tell(events: readonly StreamEvent[]): Uint8Array | null {
    if (this.#writer === null) {
      this.#roundEvents.push(...events);
      return null;
    }
    let text = "";
    for (const event of events) {
      this.#observer.see(event);
      text += this.#writer.push(event);
    }
    return text === "" ? null : encodeStream(text);
  }

  #take(events: readonly StreamEvent[]): Uint8Array | null {
    return this.#tell(events.flatMap((event) => this.#loop.take(event)));
  }

  /** Begins to read a round, or to read it again after an attempt that failed before it gave anything. */
  #restart(): void {
    this.#loop.restart();
    this.#roundEvents = [];
  }

  #exchange(request: ConversationRequest): Exchange {
    const { provider, target } = this.#translation;
    return {
      ...putRequest({ provider, target, request }),
      readWhole: (body) => {
        this.#restart();
        this.#take(eventsOf(readResponse(provider.provider, body)));
        return this.#whole();
      },
      openStream: () => this.#openStream(),
      wholeAsStream: (body) => {
        const events = eventsOf(readResponse(provider.provider, body));
        const stream = this.#openStream();
        return { bytes: this.#take(events) ?? new Uint8Array(), stream };
      },
      openCollector: () => this.#openCollector(),
    };
  }

  /** The whole answer if this round is its last; else one that the rounds go on from. */
  #whole(): WholeAnswer {
    const { caller, context } = this.#translation;
    const collector = openCollector();
    for (const event of this.#events) collector.push(event);
    for (const event of this.#roundEvents) collector.push(event);
    const response = collector.response();
    const observation = observeResponse(response, (id) => caller.answerId(id, context));
    if (this.#loop.asked.length > 0) return { body: "", observation };
    return { body: JSON.stringify(caller.encodeResponse(response, context)), observation };
  }

  #openStream(): AnswerStream {
    const { caller, provider, context } = this.#translation;
    const writer = (this.#writer ??= caller.openStreamEncoder(context));
    this.#restart();
    const reader = provider.provider.openStreamDecoder();
    let started = false;
    const take = (events: readonly StreamEvent[]) => {
      if (events.length > 0) started = true;
      return this.#take(events);
    };
    const asBytes = (text: string) => (text === "" ? null : encodeStream(text));
    const stream: EventStream = {
      push(event) {
        checkStructure(event.bytes);
        const { data } = readFields(event);
        return data === null ? null : take(reader.push(data));
      },
      end: () => take(reader.end()),
      ...streamForm(caller),
      terminator: () => asBytes(writer.terminator()),
      fail: (error, requestId) => encodeStream(writer.fail(error, requestId)),
      get started() {
        return started;
      },
      get finished() {
        return reader.finished;
      },
      observation: this.#observer,
    };
    return framedStream(stream);
  }

  /** For a provider that streams unasked. */
  #openCollector(): AnswerCollector {
    this.#restart();
    const reader = this.#translation.provider.provider.openStreamDecoder();
    const take = (events: readonly StreamEvent[]): null => {
      this.#take(events);
      return null;
    };
    const collector: EventCollector = {
      push(event) {
        checkStructure(event.bytes);
        const { data } = readFields(event);
        return data === null ? null : take(reader.push(data));
      },
      end: () => take(reader.end()),
      started: true,
      get finished() {
        return reader.finished;
      },
      observation: this.#observer,
      answer: () => this.#whole(),
    };
    return framedCollector(collector);
  }
}

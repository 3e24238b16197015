import { expect, test } from "bun:test";
import * as fc from "fast-check";
import * as arbitrary from "../conversation/arbitraries.testkit.ts";
import { openCollector } from "../conversation/collect.ts";
import { eventsOf } from "../conversation/events-of.ts";
import { reviewRequest } from "../conversation/fields/support.ts";
import type { Message } from "../conversation/request.ts";
import type { ConversationResponse } from "../conversation/response.ts";
import { validateStream } from "../conversation/validate-stream.testkit.ts";
import type { AnswerContext, DialectCodec } from "./codec.ts";
import { decodeAll, encodeAll } from "./stream-bytes.testkit.ts";

/** Tests that a request in the neutral form survives the provider's half and the caller's half of a codec. */
export function testRequests(
  { caller, provider }: DialectCodec,
  model: string,
  messages: fc.Arbitrary<readonly Message[]>,
  settings: fc.Arbitrary<object>,
): void {
  const target = { model, maxOutputTokens: null };
  test("a request encoded and decoded again is the same request", () => {
    fc.assert(
      fc.property(messages, settings, (conversation, chosen) => {
        const request = arbitrary.requestOf(conversation, chosen);
        expect(reviewRequest(request, provider.support(model))).toEqual({ refusal: null, warnings: [] });
        const { body, warnings } = provider.encodeRequest(request, target);
        expect(warnings).toEqual([]);
        const decoded = caller.decodeRequest(JSON.parse(JSON.stringify(body)));
        expect(arbitrary.bare({ ...decoded, model: "any" })).toEqual(arbitrary.bare(request));
      }),
    );
  });
}

/** Tests that a whole answer survives both halves of a codec. */
export function testAnswers(
  { caller, provider }: DialectCodec,
  context: AnswerContext,
  answers: fc.Arbitrary<ConversationResponse>,
): void {
  test("an answer encoded and decoded again is the same answer", () => {
    fc.assert(
      fc.property(answers, (answer) => {
        const body: unknown = JSON.parse(JSON.stringify(caller.encodeResponse(answer, context)));
        expect(arbitrary.bare(provider.decodeResponse(body))).toEqual(arbitrary.bare(answer));
      }),
    );
  });
}

/**
 * Tests that a streamed answer survives both halves of a codec, in pieces of any size.
 * @param check further rules that the encoded bytes must keep
 */
export function testStreams(
  { caller, provider }: DialectCodec,
  context: AnswerContext,
  answers: fc.Arbitrary<ConversationResponse>,
  check: (bytes: Uint8Array, answer: ConversationResponse) => void = () => {},
): void {
  const pieceSize = fc.integer({ min: 1, max: 9 });
  const chunkSize = fc.integer({ min: 1, max: 400 });
  test("a streamed answer, split at any byte, decodes to the answer that JSON has", () => {
    fc.assert(
      fc.property(answers, pieceSize, chunkSize, (answer, size, chunk) => {
        const bytes = encodeAll(caller.openStreamEncoder(context), arbitrary.inPieces(eventsOf(answer), size));
        check(bytes, answer);
        const events = decodeAll(provider.openStreamDecoder(), bytes, chunk);
        validateStream(events);
        const collector = openCollector();
        for (const event of events) collector.push(event);
        expect(arbitrary.bare(collector.response())).toEqual(arbitrary.bare(answer));
      }),
    );
  });
}

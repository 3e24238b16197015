import assert from "node:assert/strict";
import type { z } from "zod";
import type { Cell, Client } from "../client.ts";
import { type ComplianceCase, complianceCases } from "./cases.ts";
import { responseResource, streamEvent } from "./schemas.ts";

/** The compliance cases of Open Responses, at `/v1/responses`. */
export const client: Client = {
  name: "openresponses",
  title: "Open Responses",
  install: (folder) => Promise.resolve({ folder, version: "compliance cases" }),
  cases: complianceCases.map((complianceCase) => ({
    name: complianceCase.name,
    run: (cell) => runCase(cell, complianceCase),
  })),
};

type Answer = z.infer<typeof responseResource>;
type Events = readonly z.infer<typeof streamEvent>[];

async function runCase(cell: Cell, { stream, request, itemTypes, isCompleted }: ComplianceCase): Promise<void> {
  const response = await fetch(`${cell.url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${cell.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: cell.model, stream, ...request }),
    signal: cell.signal,
  });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  const events = stream ? readEvents(text) : [];
  const answer = stream ? lastResponse(events) : read(responseResource, JSON.parse(text), "the response");
  assert.ok(answer.output.length > 0, "there is no output");
  if (isCompleted) assert.equal(answer.status, "completed");
  for (const type of itemTypes) {
    assert.ok(
      answer.output.some((item) => item.type === type),
      `there is no ${type} in the output`,
    );
  }
  if (stream && itemTypes.includes("function_call")) expectCallEvents(events);
  // These requests follow no script.
  await cell.expectCharges(0);
}

function readEvents(text: string): Events {
  const data = text.split("\n").filter((line) => line.startsWith("data:"));
  const written = data.map((line) => line.slice("data:".length).trim()).filter((line) => line !== "[DONE]");
  return written.map((json) => read(streamEvent, JSON.parse(json), json.slice(0, 200)));
}

function lastResponse(events: Events): Answer {
  const last = events.findLast(({ type }) => /^response\.(completed|failed|incomplete)$/.test(type));
  return read(responseResource, last?.response, "the response of the last event");
}

function expectCallEvents(events: Events): void {
  for (const type of ["response.output_item.added", "response.output_item.done"]) {
    const items = events.filter((event) => event.type === type).map(({ item }) => item as Answer["output"][number]);
    assert.ok(
      items.some((item) => item.type === "function_call"),
      `there is no ${type} of a function call`,
    );
  }
  for (const type of ["response.function_call_arguments.delta", "response.function_call_arguments.done"]) {
    assert.ok(
      events.some((event) => event.type === type),
      `there is no ${type}`,
    );
  }
}

/** The value, if it is as the specification says. */
function read<Schema extends z.ZodType>(schema: Schema, value: unknown, what: string): z.infer<Schema> {
  const { data, error } = schema.safeParse(value);
  if (error) {
    const problems = error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
    throw new Error(`${what} is not as specified: ${problems.join("; ")}`);
  }
  return data;
}

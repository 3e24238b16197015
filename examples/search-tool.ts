import { jsonSchema, tool } from "ai";
import { search } from "./search-over-http.ts";

/** Lets any model of the AI SDK search: `generateText({ model, prompt, tools: { search: searchTool } })`. */
export const searchTool = tool({
  description: "Searches the web.",
  inputSchema: jsonSchema<{ query: string }>({
    type: "object",
    properties: { query: { type: "string" } },
    required: ["query"],
  }),
  execute: async ({ query }) => (await search(query)).results,
});

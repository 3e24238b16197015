import assert from "node:assert/strict";
import { join } from "node:path";
import type { Client } from "../client.ts";
import { installFromNpm } from "../npm.ts";

/** What this suite asks of the page's retriever, which is LangChain's own. */
interface Retriever {
  invoke(query: string): Promise<readonly LangChainDocument[]>;
}

interface LangChainDocument {
  readonly pageContent: string;
  readonly metadata: { readonly title: string; readonly source: string; readonly score: number };
}

/** A retriever of LangChain.js over the gateway's search. */
export const client: Client = {
  name: "langchain-js",
  title: "LangChain.js",
  install: (folder) => installFromNpm(import.meta.dir, folder, "@langchain/core"),
  cases: [
    {
      name: "retriever",
      async run(cell) {
        // Beside the installed package, so that it is found.
        const file = join(cell.installed.folder, `retriever-${Bun.hash(cell.key)}.ts`);
        await Bun.write(file, await cell.settings("LangChain.js", "retriever.ts"));
        try {
          const { TollgateRetriever } = (await import(file)) as { readonly TollgateRetriever: new () => Retriever };
          const [first] = await new TollgateRetriever().invoke("coffee brewing");
          assert.equal(first?.metadata.source, "https://www.example.com/coffee/brewing");
          assert.match(first.pageContent, /Grind the beans/);
          assert.equal(first.metadata.title, "Brewing coffee by hand");
        } finally {
          await Bun.file(file).delete();
        }
        // Its line in the log, which names it, comes a moment after the answer.
        while ((await cell.records()).length === 0) await Bun.sleep(20);
        const [record] = await cell.records();
        assert.equal(record?.endpoint, "/v1/search");
        assert.equal(record.billing.amount_microusd, 8_000);
      },
    },
  ],
};

import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What the engines of a searx find. */
export interface LocalPage {
  readonly url: string;
  readonly title: string;
  readonly content: string;
}

/** Engines over local data: an index of SQLite, and two of JSON over HTTP, of the web and of news. */
export interface LocalEngines {
  /** As the settings of searx have them. */
  readonly settings: readonly object[];
  /** Whether the engines of JSON fail. */
  isBroken: boolean;
  /** The queries that the engines of JSON were asked, newest last. */
  readonly asked: readonly string[];
  stop(): Promise<void>;
}

export function startLocalEngines(pages: readonly LocalPage[], news: readonly LocalPage[]): LocalEngines {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-engines-"));
  const file = join(folder, "pages.db");
  const database = new Database(file);
  database.run("create virtual table pages using fts5 (url unindexed, title, content)");
  for (const { url, title, content } of pages)
    database.run("insert into pages values (?, ?, ?)", [url, title, content]);
  database.close();
  const asked: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const { pathname, searchParams } = new URL(request.url);
      const query = searchParams.get("q") ?? "";
      asked.push(query);
      if (engines.isBroken) return new Response("broken", { status: 500 });
      const words = query.toLowerCase().match(/(?<![\w:.])[a-z]+(?![\w:.])/g) ?? [];
      const found = (pathname === "/news" ? news : pages).filter(({ title, content }) =>
        words.some((word) => `${title} ${content}`.toLowerCase().includes(word)),
      );
      return Response.json({ found });
    },
  });
  const json = (name: string, category: string) => ({
    name,
    engine: "json_engine",
    shortcut: name,
    categories: category,
    search_url: `http://127.0.0.1:${server.port}/${category}?q={query}`,
    results_query: "found",
    url_query: "url",
    title_query: "title",
    content_query: "content",
    enable_http: true,
    // They are no parameters of these engines, but searx asks only engines that say they have them.
    time_range_support: true,
    timeout: 2,
  });
  const index = {
    name: "index",
    engine: "sqlite",
    shortcut: "index",
    categories: "general",
    database: file,
    // Quoted, or the query would be the index's own language.
    query_str: `SELECT title, url, content FROM pages WHERE pages MATCH '"' || replace(:query, '"', '') || '"' ORDER BY rank`,
    result_template: "default.html",
  };
  const engines: LocalEngines = {
    settings: [index, json("web", "general"), json("headlines", "news")],
    isBroken: false,
    asked,
    async stop() {
      await server.stop(true);
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return engines;
}

import type { Dialect } from "../dialect.ts";
import { searchDialect } from "./search-dialect.ts";
import { firecrawl } from "./firecrawl/vendor.ts";
import { linkup } from "./linkup/vendor.ts";
import { parallel } from "./parallel/vendor.ts";
import { serpapi } from "./serpapi/vendor.ts";
import { youcom } from "./youcom/vendor.ts";
import { tavily } from "./tavily/vendor.ts";

/** All search vendors of the sandbox, as its dialects. */
export const searchDialects: readonly Dialect[] = [tavily, linkup, firecrawl, parallel, youcom, serpapi].map(
  searchDialect,
);

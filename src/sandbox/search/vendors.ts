import type { Dialect } from "../dialect.ts";
import { searchDialect } from "./search-dialect.ts";
import { brave } from "./brave/vendor.ts";
import { exa } from "./exa/vendor.ts";
import { firecrawl } from "./firecrawl/vendor.ts";
import { jina } from "./jina/vendor.ts";
import { linkup } from "./linkup/vendor.ts";
import { parallel } from "./parallel/vendor.ts";
import { perplexity } from "./perplexity/vendor.ts";
import { searxng } from "./searxng/vendor.ts";
import { serpapi } from "./serpapi/vendor.ts";
import { serper } from "./serper/vendor.ts";
import { tavily } from "./tavily/vendor.ts";
import { youcom } from "./youcom/vendor.ts";

/** All search vendors of the sandbox, as its dialects. */
export const searchDialects: readonly Dialect[] = [
  tavily,
  serper,
  exa,
  brave,
  searxng,
  jina,
  perplexity,
  linkup,
  firecrawl,
  parallel,
  youcom,
  serpapi,
].map(searchDialect);

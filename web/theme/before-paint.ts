/** Loaded before anything is painted, so that a chosen theme is the first thing seen. */
import { readTheme, showTheme } from "./theme.ts";

showTheme(readTheme());

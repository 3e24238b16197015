import packageFile from "../package.json" with { type: "json" };

/** Tollgate's version, as package.json says it. */
export const version: string = packageFile.version;

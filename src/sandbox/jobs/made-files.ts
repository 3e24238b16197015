import type { Dialect } from "../dialect.ts";
import { writeChatError } from "../openai-chat/errors.ts";
import type { Pixels } from "./sizes.ts";
import { Refusal } from "../refusal.ts";
import type { Answer, ScriptedAnswer } from "../wire/answer.ts";
import type { JobScript } from "./job-script.ts";

/** A file that a job has made, at an address of the sandbox that needs no key. */
export interface MadeFile {
  readonly key: string;
  /** Below the sandbox: `/_files/ID/0.png`. */
  readonly path: string;
  readonly contentType: string;
  readonly pixels: Pixels;
  /** Made when it is asked for. */
  readonly bytes: () => Uint8Array;
  readonly fault: JobScript["file"];
}

const prefix = "/_files/";
const page = "<!doctype html><p>Sorry.</p>";
const served = (answer: Answer): ScriptedAnswer => ({ answer, script: {} });

/** A file of a job. @param name such as `0.png` */
export function madeFile(
  jobId: string,
  name: string,
  facts: Pick<MadeFile, "contentType" | "pixels" | "bytes" | "fault">,
): MadeFile {
  const path = `${prefix}${jobId}/${name}`;
  return { ...facts, key: `file ${path}`, path };
}

/** Serves what jobs have made, as the vendors' file servers do. */
export const madeFiles: Dialect = {
  name: "files",
  route(method, path) {
    if (!path.startsWith(prefix) || method !== "GET") return null;
    return {
      kind: "serve",
      async serve({ memory }) {
        const file = memory.get(`file ${path}`) as MadeFile | undefined;
        if (file === undefined || file.fault === "missing") throw new Refusal(404, "There is no such file.");
        const bytes = file.bytes();
        const headers = { "content-type": file.contentType, "content-length": String(bytes.length) };
        switch (file.fault) {
          case "html":
            return served({ status: 200, headers: { "content-type": file.contentType }, body: page });
          case "truncated": {
            const half = bytes.length >> 1;
            const answer = { status: 200, headers, body: [bytes.subarray(0, half), bytes.subarray(half)] };
            return { answer, script: { fault: { kind: "cut", after: 1 } } };
          }
          case "moved_to_private":
            return served({ status: 302, headers: { location: "http://169.254.169.254/latest/meta-data/" }, body: "" });
          default:
            return served({ status: 200, headers, body: [bytes] });
        }
      },
    };
  },
  credential: () => null,
  takesAnyCredential: true,
  headers: () => ({}),
  writeError: writeChatError,
};

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Case, Client } from "../../client.ts";
import { tail } from "../../program.ts";
import { aider, installEnvironment, pythonIn } from "../environment.ts";

const before = 'print("Hello")\n';
const after = 'print("Hello, Paris")\n';

/** An answer in each of aider's forms of an edit. */
const answers = {
  whole: `Done.\n\ngreeting.py\n\`\`\`python\n${after}\`\`\`\n`,
  diff: `Done.\n\ngreeting.py\n\`\`\`python\n<<<<<<< SEARCH\n${before}=======\n${after}>>>>>>> REPLACE\n\`\`\`\n`,
};

/** The pair programmer for the terminal. It calls no tools: it reads edits from the text of the answer. */
export const client: Client = {
  name: "aider",
  title: "aider",
  install: (folder) => installEnvironment(aider, "aider-chat", folder),
  cases: [
    edit("whole file, streamed, over Chat Completions", ".aider.conf.yml", "whole", "--stream"),
    edit("diff, not streamed, over Chat Completions", ".aider.conf.yml", "diff", "--no-stream"),
    edit("diff, streamed, over Messages", "model: anthropic/gpt-5-mini", "diff", "--stream"),
  ],
};

function edit(name: string, settings: string, format: keyof typeof answers, streaming: string): Case {
  return {
    name,
    limitMs: 180_000,
    async run(cell) {
      writeFileSync(join(cell.folder, ".aider.conf.yml"), await cell.settings("aider", settings));
      const file = join(cell.folder, "greeting.py");
      writeFileSync(file, before);
      const program = [pythonIn(cell.installed.folder), "-m", "aider"];
      const options = [
        "--edit-format",
        format,
        streaming,
        "--yes-always",
        "--no-git",
        "--no-pretty",
        "--no-detect-urls",
      ];
      const silent = ["--analytics-disable", "--no-check-update", "--no-show-release-notes"];
      const prompt = cell.prompt("Greet Paris.", { text: answers[format] });
      const environment = { LITELLM_LOCAL_MODEL_COST_MAP: "True" };
      const command = [...program, ...options, ...silent, "--message", prompt, "greeting.py"];
      const { exitCode, stdout, stderr } = await cell.run(command, { environment });
      assert.equal(exitCode, 0, tail(stderr + stdout));
      assert.equal(readFileSync(file, "utf8"), after, tail(stdout + stderr));
      await cell.expectCharges(1);
    },
  };
}

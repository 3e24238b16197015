import { type FormEvent, useState } from "react";
import { Button } from "../../../components/button.tsx";
import { AreaField } from "../../../components/field.tsx";
import { words } from "../../../words/en.ts";
import type { ToolCall, ToolResults } from "./conversation.ts";

const text = words.explorer.calls;

interface CallsFormProps {
  readonly calls: readonly ToolCall[];
  readonly onAnswer: (results: ToolResults) => void;
}

/** The results of the functions that a model has called. */
export function CallsForm({ calls, onAnswer }: CallsFormProps) {
  const [results, setResults] = useState<readonly string[]>([]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onAnswer({ role: "tool", results: calls.map((call, index) => ({ call, content: results[index] ?? "" })) });
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-2 rounded-md border border-accent p-3">
      {calls.map((call, index) => (
        <AreaField
          key={index}
          label={text.result(call.name)}
          rows={2}
          required
          placeholder={text.placeholder}
          value={results[index] ?? ""}
          onChange={(event) =>
            setResults(calls.map((_call, at) => (at === index ? event.target.value : (results[at] ?? ""))))
          }
        />
      ))}
      <Button type="submit" look="primary" small className="self-start">
        {text.answer(calls.length)}
      </Button>
    </form>
  );
}

import { classNames } from "../../../components/class-names.ts";
import { words } from "../../../words/en.ts";
import type { Message, MessagePart } from "./read-conversation.ts";

const text = words.bodies;

/** Messages one below the other. All of it is text. */
export function Conversation({ messages }: { readonly messages: readonly Message[] }) {
  return (
    <ol className="overflow-hidden rounded-md border border-line">
      {messages.map(({ role, parts }, at) => (
        <li key={at} className="border-b border-line px-3 py-2 last:border-b-0 odd:bg-sunken">
          <p className="text-2xs font-medium text-dim">{text.roles[role] ?? role}</p>
          {parts.map((part, place) => (
            <Part key={place} part={part} />
          ))}
        </li>
      ))}
    </ol>
  );
}

function Part({ part: { kind, name, text: said } }: { readonly part: MessagePart }) {
  const isCode = kind === "call" || kind === "result" || kind === "other";
  return (
    <div className="mt-1">
      {kind !== "text" && (
        <p className="text-2xs text-faint">{kind === "call" && name !== null ? text.call(name) : text.kinds[kind]}</p>
      )}
      <p
        className={classNames(
          "max-h-96 overflow-y-auto wrap-anywhere whitespace-pre-wrap",
          isCode ? "font-mono text-xs leading-5" : "text-sm",
          kind === "reasoning" && "text-dim italic",
        )}
        tabIndex={0}
      >
        {said}
      </p>
    </div>
  );
}

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answerOf, api } from "../../../api/client.ts";
import type { RequestBodies } from "../../../api/types.ts";
import { Badge } from "../../../components/badge.tsx";
import { Choice } from "../../../components/choice.tsx";
import { Code } from "../../../components/code.tsx";
import { Loaded } from "../../../components/loaded.tsx";
import { bytes } from "../../../format/number.ts";
import { isOperator, useUser } from "../../../session/session.ts";
import { words } from "../../../words/en.ts";
import { Conversation } from "./conversation.tsx";
import { readConversation } from "./read-conversation.ts";

const text = words.bodies;

/** What was sent and answered, as it was kept. */
export function RecordBodies({ id }: { readonly id: string }) {
  const user = useUser();
  const path = isOperator(user) ? "/api/admin/requests/{id}/bodies" : "/api/usage/requests/{id}/bodies";
  const query = useQuery({
    queryKey: ["bodies", id],
    queryFn: () => answerOf(api.GET(path, { params: { path: { id } } })),
    // They are written shortly after the record.
    retry: 2,
  });
  return (
    <Loaded query={query} rows={3}>
      {({ request, answer }) => (
        <div className="flex flex-col gap-4">
          <BodyView name={text.request} body={request} />
          <BodyView name={text.answer} body={answer} />
        </div>
      )}
    </Loaded>
  );
}

type Body = RequestBodies["request"];
type Look = "conversation" | "text";

function BodyView({ name, body }: { readonly name: string; readonly body: Body }) {
  const isStream = body.content_type?.startsWith("text/event-stream") ?? false;
  const messages = body.text === null ? null : readConversation(body.text, isStream);
  const [look, setLook] = useState<Look>("conversation");
  return (
    <section aria-label={name}>
      <div className="mb-1.5 flex min-h-7 flex-wrap items-center gap-x-2 gap-y-1">
        <h4 className="text-sm font-medium">{name}</h4>
        <span className="text-xs text-faint">
          {[body.content_type?.split(";")[0], bytes(body.bytes)].filter(Boolean).join(", ")}
        </span>
        {body.truncated && (
          <Badge tone="warn" title={text.truncatedMore}>
            {text.truncated}
          </Badge>
        )}
        {body.redactions > 0 && <Badge title={text.redactedMore}>{text.redacted(body.redactions)}</Badge>}
        <span className="flex-1" />
        {messages && (
          <Choice
            label={text.look}
            value={look}
            options={[
              ["conversation", text.conversation],
              ["text", text.raw],
            ]}
            onChange={setLook}
          />
        )}
      </div>
      {body.text === null ? (
        <p className="text-sm text-dim">{body.omitted === null ? text.empty : text.omitted[body.omitted]}</p>
      ) : body.text === "" ? (
        <p className="text-sm text-dim">{text.empty}</p>
      ) : messages && look === "conversation" ? (
        <Conversation messages={messages} />
      ) : (
        <div className="max-h-[32rem] overflow-y-auto">
          <Code text={readable(body.text)} label={name} />
        </div>
      )}
    </section>
  );
}

/** JSON with indentation; any other text as it is. */
function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { catalogQuery } from "../../api/catalog.ts";
import { Choice } from "../../components/choice.tsx";
import { Page } from "../../components/page.tsx";
import { currentKey } from "../../session/explorer-key.ts";
import { useUser } from "../../session/session.ts";
import { words } from "../../words/en.ts";
import { ConversationMode } from "./conversation/conversation-mode.tsx";
import { emptySettings } from "./conversation/settings-form.ts";
import { ImageMode } from "./image-mode.tsx";
import { KeyField } from "./key-field.tsx";
import { isConversation, type Mode, modeOf, offeredModes } from "./modes.ts";
import { SearchMode } from "./search-mode.tsx";
import { SpeechMode } from "./speech-mode.tsx";
import { TranscriptionMode } from "./transcription-mode.tsx";
import { VideoMode } from "./video-mode.tsx";

const text = words.explorer;

const forms = {
  search: SearchMode,
  speech: SpeechMode,
  transcription: TranscriptionMode,
  image: ImageMode,
  video: VideoMode,
} as const;

/** Tries the gateway as an application would use it. */
export function ExplorerPage() {
  const user = useUser();
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const catalog = useQuery(catalogQuery);
  const [key, setKey] = useState(() => currentKey(user.id));
  const [settings, setSettings] = useState(emptySettings);
  const mode = modeOf(search["mode"]);
  const choose = (next: Mode) => {
    void navigate({ to: "/explorer", search: ({ range }) => ({ range, mode: next }), replace: true });
  };
  const offered = offeredModes(catalog.data);
  const Form = isConversation(mode) ? null : forms[mode];
  return (
    <Page title={text.title} description={text.description} fill>
      <div className="flex flex-col gap-2 border-b border-line px-4 pt-2 pb-2 sm:px-6 sm:pt-3">
        <KeyField value={key} onChange={setKey} />
        <Choice
          label={text.mode}
          value={mode}
          options={offered.map((name) => [name, text.modes[name]])}
          onChange={choose}
        />
      </div>
      {isConversation(mode) ? (
        <ConversationMode key={mode} endpoint={mode} apiKey={key} form={settings} onForm={setSettings} />
      ) : (
        <div className="min-h-0 flex-1 overflow-y-auto">{Form && <Form apiKey={key} />}</div>
      )}
    </Page>
  );
}

import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { Choice } from "../../components/choice.tsx";
import { Page } from "../../components/page.tsx";
import { words } from "../../words/en.ts";
import { ChatMode } from "./chat-mode.tsx";
import { currentKey } from "./handed-key.ts";
import { KeyField } from "./key-field.tsx";
import { ImageMode, SpeechMode, TranscriptionMode } from "./media-modes.tsx";
import { SearchMode } from "./search-mode.tsx";

const text = words.explorer;

const modes = ["chat", "search", "speech", "transcription", "image"] as const;
type Mode = (typeof modes)[number];

/** Tries the gateway as an application would use it. */
export function ExplorerPage() {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const [key, setKey] = useState(currentKey);
  const mode = modes.find((name) => name === search["mode"]) ?? "chat";
  const choose = (next: Mode) => {
    void navigate({ to: "/explorer", search: ({ range }) => ({ range, mode: next }), replace: true });
  };
  const choice = (
    <Choice label={text.mode} value={mode} options={modes.map((name) => [name, text.modes[name]])} onChange={choose} />
  );
  return (
    <Page title={text.title} description={text.description} actions={choice} fill>
      <div className="border-b border-line px-4 pt-3 pb-2 sm:px-6">
        <KeyField value={key} onChange={setKey} />
      </div>
      {mode === "chat" ? (
        <ChatMode apiKey={key} />
      ) : (
        <div className="min-h-0 flex-1 overflow-y-auto">
          {mode === "search" && <SearchMode apiKey={key} />}
          {mode === "speech" && <SpeechMode apiKey={key} />}
          {mode === "transcription" && <TranscriptionMode apiKey={key} />}
          {mode === "image" && <ImageMode apiKey={key} />}
        </div>
      )}
    </Page>
  );
}

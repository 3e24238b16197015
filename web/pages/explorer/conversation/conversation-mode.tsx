import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { catalogQuery } from "../../../api/catalog.ts";
import { useWideScreen } from "../../../components/small-screen.ts";
import { words } from "../../../words/en.ts";
import { useModelsOf } from "../model-select.tsx";
import { type ColumnHandle, ConversationColumn } from "./conversation-column.tsx";
import { type ConversationEndpoint, dialects } from "./dialects.ts";
import { PromptForm } from "./prompt-form.tsx";
import { lackingOf, readSettings, type SettingsForm } from "./settings-form.ts";
import { SettingsPanel } from "./settings-panel.tsx";

const text = words.explorer;
const maxColumns = 4;

interface Column {
  readonly id: number;
  /** Empty for the first model there is. */
  readonly model: string;
  readonly isBusy: boolean;
}

interface ConversationModeProps {
  readonly endpoint: ConversationEndpoint;
  readonly apiKey: string;
  readonly form: SettingsForm;
  readonly onForm: (form: SettingsForm) => void;
}

/** Up to four models, which are asked the same by one vendor's API. */
export function ConversationMode({ endpoint, apiKey, form, onForm }: ConversationModeProps) {
  const models = useModelsOf(endpoint);
  const catalog = useQuery(catalogQuery);
  const isWide = useWideScreen();
  const [columns, setColumns] = useState<readonly Column[]>([{ id: 0, model: "", isBusy: false }]);
  const handles = useRef(new Map<number, ColumnHandle>());
  const forAll = (act: (handle: ColumnHandle) => void) => handles.current.forEach(act);
  const change = (id: number, part: Partial<Column>) =>
    setColumns((before) => before.map((column) => (column.id === id ? { ...column, ...part } : column)));
  const names = columns.map(({ model }) => model || (models[0] ?? ""));
  const lacking = lackingOf(names, catalog.data ?? []);
  const settings = readSettings(form, lacking);
  const add = () => {
    const model = models.find((name) => !names.includes(name)) ?? models[0] ?? "";
    const id = Math.max(...columns.map((column) => column.id)) + 1;
    setColumns([
      ...columns.map((column, index) => ({ ...column, model: names[index] ?? "" })),
      { id, model, isBusy: false },
    ]);
  };
  const panel = <SettingsPanel form={form} onChange={onForm} lacking={lacking} />;
  return (
    <div className="flex min-h-0 flex-1">
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <div className="flex min-h-0 flex-1 gap-px overflow-auto bg-line max-sm:flex-col">
          {columns.map(({ id }, index) => (
            <ConversationColumn
              key={id}
              dialect={dialects[endpoint]}
              model={names[index] ?? ""}
              models={models}
              apiKey={apiKey}
              settings={settings}
              handle={(handle) => {
                if (handle) handles.current.set(id, handle);
                else handles.current.delete(id);
              }}
              onBusy={(isBusy) => {
                if (columns[index]?.isBusy !== isBusy) change(id, { isBusy });
              }}
              onModel={(model) => change(id, { model })}
              onRemove={columns.length === 1 ? null : () => setColumns(columns.filter((column) => column.id !== id))}
            />
          ))}
        </div>
        {!isWide && (
          <details className="border-t border-line px-4 py-2 sm:px-6">
            <summary className="cursor-pointer text-xs font-medium text-dim">{text.settings.title}</summary>
            <div className="mt-2 max-h-[50vh] overflow-y-auto">{panel}</div>
          </details>
        )}
        <PromptForm
          canSend={apiKey !== "" && models.length > 0 && settings !== null}
          hasKey={apiKey !== ""}
          hasPictures={lacking.vision === undefined}
          isBusy={columns.some(({ isBusy }) => isBusy)}
          onSend={(message) => forAll((column) => column.say(message))}
          onStop={() => forAll((column) => column.stop())}
          onClear={() => forAll((column) => column.clear())}
          onAdd={columns.length < maxColumns && models.length > 1 ? add : null}
        />
      </div>
      {isWide && (
        <aside
          aria-label={text.settings.title}
          className="w-72 shrink-0 overflow-y-auto border-l border-line p-4 xl:w-80"
        >
          {panel}
        </aside>
      )}
    </div>
  );
}

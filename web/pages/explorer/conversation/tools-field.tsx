import { Button, IconButton } from "../../../components/button.tsx";
import { AreaField, TextField } from "../../../components/field.tsx";
import { Icon } from "../../../components/icon.tsx";
import { words } from "../../../words/en.ts";
import { exampleTool, isToolName, readObject, type ToolForm } from "./settings-form.ts";

const text = words.explorer.settings;
const maxTools = 16;

interface ToolsFieldProps {
  readonly tools: readonly ToolForm[];
  readonly onChange: (tools: readonly ToolForm[]) => void;
}

/** The functions that a model may call. */
export function ToolsField({ tools, onChange }: ToolsFieldProps) {
  const change = (index: number, part: Partial<ToolForm>) =>
    onChange(tools.map((tool, at) => (at === index ? { ...tool, ...part } : tool)));
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 text-xs font-medium text-dim">{text.tools}</legend>
      {tools.map((tool, index) => (
        <div key={index} className="flex flex-col gap-2 rounded-md border border-line p-2">
          <div className="flex items-end gap-1">
            <TextField
              className="flex-1"
              label={text.toolName}
              error={isToolName(tool.name) ? null : text.badName}
              value={tool.name}
              onChange={(event) => change(index, { name: event.target.value })}
            />
            <IconButton
              label={text.removeTool(tool.name)}
              onClick={() => onChange(tools.filter((_tool, at) => at !== index))}
            >
              <Icon name="close" className="size-3.5" />
            </IconButton>
          </div>
          <TextField
            label={text.toolDescription}
            value={tool.description}
            onChange={(event) => change(index, { description: event.target.value })}
          />
          <AreaField
            label={text.toolParameters}
            rows={6}
            code
            spellCheck={false}
            error={readObject(tool.parameters) === null ? text.badJson : null}
            value={tool.parameters}
            onChange={(event) => change(index, { parameters: event.target.value })}
          />
        </div>
      ))}
      {tools.length < maxTools && (
        <Button small className="self-start" onClick={() => onChange([...tools, nextTool(tools)])}>
          <Icon name="plus" className="size-3" />
          {text.addTool}
        </Button>
      )}
      <p className="text-xs text-faint">{text.toolsMore}</p>
    </fieldset>
  );
}

/** An example, by a name that is not taken. */
function nextTool(tools: readonly ToolForm[]): ToolForm {
  const isTaken = tools.some(({ name }) => name === exampleTool.name);
  return isTaken ? { ...exampleTool, name: `${exampleTool.name}_${tools.length + 1}` } : exampleTool;
}

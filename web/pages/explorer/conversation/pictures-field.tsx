import { type KeyboardEvent, useId, useRef, useState } from "react";
import { Button } from "../../../components/button.tsx";
import { Icon } from "../../../components/icon.tsx";
import { words } from "../../../words/en.ts";
import type { Picture } from "./conversation.ts";

const text = words.explorer.pictures;
const maxBytes = 20 * 1024 * 1024;
const maxPictures = 8;

interface PicturesFieldProps {
  readonly pictures: readonly Picture[];
  readonly onChange: (pictures: readonly Picture[]) => void;
}

/** Pictures that go with a message: files, or addresses. */
export function PicturesField({ pictures, onChange }: PicturesFieldProps) {
  const [address, setAddress] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const fileInput = useRef<HTMLInputElement>(null);
  const problemId = useId();
  const add = (picture: Picture) => {
    setProblem(null);
    onChange([...pictures, picture].slice(-maxPictures));
  };
  const addFile = async (file: File | undefined) => {
    if (file === undefined) return;
    if (file.size > maxBytes || !file.type.startsWith("image/")) setProblem(text.tooLarge);
    else add({ name: file.name, url: await dataUrlOf(file) });
  };
  const addAddress = () => {
    const url = address.trim();
    if (!/^https?:\/\/[^\s]+$/i.test(url)) {
      setProblem(text.noAddress);
      return;
    }
    setAddress("");
    add({ name: url, url });
  };
  const listen = (event: KeyboardEvent) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    addAddress();
  };
  return (
    <div className="mb-2 flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <input
          ref={fileInput}
          type="file"
          accept="image/png,image/jpeg,image/webp,image/gif"
          aria-label={text.file}
          className="sr-only"
          tabIndex={-1}
          onChange={(event) => {
            void addFile(event.target.files?.[0]);
            event.target.value = "";
          }}
        />
        <Button small onClick={() => fileInput.current?.click()}>
          {text.file}
        </Button>
        <input
          aria-label={text.address}
          aria-describedby={problemId}
          placeholder={text.placeholder}
          value={address}
          onChange={(event) => setAddress(event.target.value)}
          onKeyDown={listen}
          className="field h-7 max-w-72 min-w-0 flex-1 text-xs"
        />
        <Button small disabled={address.trim() === ""} onClick={addAddress}>
          {text.use}
        </Button>
      </div>
      <p id={problemId} role="status" className="text-xs text-bad empty:hidden">
        {problem}
      </p>
      <div className="flex flex-wrap gap-1.5 empty:hidden">
        {pictures.map((picture, index) => (
          <button
            key={index}
            type="button"
            aria-label={text.remove(picture.name)}
            onClick={() => onChange(pictures.filter((_picture, at) => at !== index))}
            className="inline-flex max-w-48 items-center gap-1 rounded-md border border-line px-2 py-1 text-xs text-dim hover:bg-hover"
          >
            {picture.url.startsWith("data:") && (
              <img src={picture.url} alt="" className="size-5 rounded-sm object-cover" />
            )}
            <span className="truncate">{picture.name}</span>
            <Icon name="close" className="size-2.5 shrink-0" />
          </button>
        ))}
      </div>
    </div>
  );
}

async function dataUrlOf(file: File): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const reader = new FileReader();
  reader.addEventListener("load", () => resolve(typeof reader.result === "string" ? reader.result : ""));
  reader.addEventListener("error", () => reject(new Error(text.tooLarge)));
  reader.readAsDataURL(file);
  return promise;
}

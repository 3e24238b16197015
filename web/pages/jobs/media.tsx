import { buttonClass } from "../../components/button.tsx";
import { Icon } from "../../components/icon.tsx";
import { words } from "../../words/en.ts";

const text = words.jobs;

interface MediaProps {
  /** Where the bytes are. */
  readonly path: string;
  readonly contentType: string;
  readonly name: string;
}

/** An image, a sound or a film; a way to save anything. */
export function Media({ path, contentType, name }: MediaProps) {
  const [kind] = contentType.split("/");
  const isShown = (kind === "image" && contentType !== "image/svg+xml") || kind === "audio" || kind === "video";
  return (
    <div className="flex flex-col gap-3 border-b border-line p-4">
      {kind === "video" && (
        <video
          controls
          preload="metadata"
          src={path}
          aria-label={name}
          className="aspect-video w-full rounded-md bg-sunken"
        />
      )}
      {kind === "audio" && <audio controls preload="metadata" src={path} aria-label={name} className="w-full" />}
      {kind === "image" && isShown && (
        <img src={path} alt={name} className="max-h-96 w-full rounded-md bg-sunken object-contain" />
      )}
      {!isShown && <p className="text-sm text-dim">{text.noLook}</p>}
      <a href={path} download={name} className={buttonClass()}>
        <Icon name="download" className="size-3.5" />
        {text.download}
      </a>
    </div>
  );
}

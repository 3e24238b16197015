import type { RequestBody } from "../../http/request-body.ts";
import type { JsonObject } from "../../json/values.ts";
import type { ImageContent, InputImage } from "../../operations/images/images.ts";
import { JsonWithContents } from "../pictures/json-body.ts";

/** Writes images into a JSON body: their addresses, or `data:` URLs of what is in them. */
export class JobBody {
  readonly #json = new JsonWithContents();
  #hasContents = false;

  /** What stands for an image in the value. */
  urlOf({ source }: InputImage): string {
    return source.type === "url" ? source.url : this.dataUrlOf(source.content);
  }

  /** What stands for a file in the value. */
  dataUrlOf(content: ImageContent): string {
    this.#hasContents = true;
    return `data:${content.contentType};base64,${this.#json.place(content)}`;
  }

  write(value: JsonObject, prompt: string): RequestBody {
    return this.#hasContents ? this.#json.body(value, prompt) : JSON.stringify(value);
  }
}

import { unsupportedParameter } from "../../errors.ts";

/** `aura-2-thalia-en`: a family, a voice and a language. */
const voiceModel = /^(.+)-([a-z]+)-([a-z]{2})$/;

const usualLanguage = "en";

/**
 * Deepgram's models are voices. A target may name one of them, which the caller's voice must then agree with, or a family
 * (`aura-2`), to which the caller's voice is added: `thalia`, or `celeste-es` for another language than English. A caller
 * may also give the whole name of a voice of the family. Throws a 400 that names `voice`.
 */
export function voiceModelOf(target: string, voice: string): string {
  const [, , targetVoice, language = ""] = voiceModel.exec(target) ?? [];
  if (targetVoice !== undefined) {
    if ([target, targetVoice, `${targetVoice}-${language}`].includes(voice)) return target;
    throw unsupportedParameter("voice", `The model's only voice is '${targetVoice}'.`);
  }
  const name = voice.toLowerCase();
  if (name.startsWith(`${target}-`)) return name;
  if (/^[a-z]+-[a-z]{2}$/.test(name)) return `${target}-${name}`;
  if (/^[a-z]+$/.test(name)) return `${target}-${name}-${usualLanguage}`;
  throw unsupportedParameter("voice", "A voice of this provider is a name, such as thalia, or celeste-es.");
}

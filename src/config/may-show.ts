/** How the credentials of well-known vendors begin. */
const credential = /^(sk|pk|rk|gsk|xai|hf|key)[-_]|^AIza|^Bearer /i;

/** Whether a text from a file may stand in an error: short, plain, and not like a credential in the wrong place. */
export function mayShow(text: string, longest: number): boolean {
  return text.length <= longest && /^[\x20-\x7e]+$/.test(text) && !credential.test(text);
}

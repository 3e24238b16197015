// STAND-IN by the owner so that the gateway runs: overwrite this whole file with the real one.
export async function estimateTokens(text: string): Promise<number> { return Math.ceil(text.length / 4); }
export async function estimateChatInput(body: unknown): Promise<number> { return Math.ceil(JSON.stringify(body).length / 4); }
export function bookChatTokens(body: unknown): number { return Math.ceil(JSON.stringify(body).length / 4); }

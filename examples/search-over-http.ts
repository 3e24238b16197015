const url = process.env["TOLLGATE_URL"] ?? "http://127.0.0.1:8787";

export interface Found {
  readonly results: readonly { readonly title: string; readonly url: string; readonly snippet: string }[];
}

export async function search(query: string): Promise<Found> {
  const response = await fetch(`${url}/v1/search`, {
    method: "POST",
    headers: { authorization: `Bearer ${process.env["TOLLGATE_API_KEY"]}`, "content-type": "application/json" },
    body: JSON.stringify({ query, max_results: 3 }),
  });
  if (!response.ok) throw new Error(`The search answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Found;
}

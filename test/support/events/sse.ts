/** A reader of server-sent events for tests, which keeps what it got. */
export interface Block {
  id: number | null;
  event: string | null;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into any event
  data: any;
}

export interface SseReader {
  status: number;
  headers: Headers;
  /** Events with data. */
  events: Block[];
  /** All that came, as it came. */
  text(): string;
  /** The newest ID, as a browser would send it again. */
  lastId(): number | null;
  isOver(): boolean;
  close(): void;
}

function parse(block: string): Block {
  const field = (name: string): string | null =>
    block
      .split('\n')
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2) ?? null;
  const data = field('data');
  const id = field('id');
  return {
    id: id === null ? null : Number(id),
    event: field('event'),
    data: data === null ? null : JSON.parse(data),
  };
}

export async function openSse(url: string, headers: Record<string, string>): Promise<SseReader> {
  const leaving = new AbortController();
  const response = await fetch(url, { headers, signal: leaving.signal });
  const events: Block[] = [];
  let text = '';
  let rest = '';
  let lastId: number | null = null;
  let over = false;
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body!) {
      const part = decoder.decode(chunk as Uint8Array, { stream: true });
      text += part;
      rest += part;
      const blocks = rest.split('\n\n');
      rest = blocks.pop()!;
      for (const block of blocks.map(parse)) {
        if (block.id !== null) lastId = block.id;
        if (block.data !== null) events.push(block);
      }
    }
  };
  // However it ends, it is over: by the server, by us, by a cut.
  void read()
    .catch(() => undefined)
    .finally(() => (over = true));
  return {
    status: response.status,
    headers: response.headers,
    events,
    text: () => text,
    lastId: () => lastId,
    isOver: () => over,
    close: () => leaving.abort(),
  };
}

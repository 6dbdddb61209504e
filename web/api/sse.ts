/** Server-sent events over `fetch`, because `EventSource` can't send the header that names the workspace. */

export interface ServerSentEvent {
  id: string | null;
  event: string;
  data: string;
}

/**
 * Yields the events of a `text/event-stream` response as they arrive; comments are dropped. Returns when the stream
 * ends.
 * @throws any error of the body (an abort, a lost connection)
 */
export async function* readEventStream(response: Response): AsyncGenerator<ServerSentEvent> {
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      buffer += value;
      const blocks = buffer.split(/\r\n\r\n|\n\n|\r\r/);
      buffer = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = parse(block);
        if (event) yield event;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function parse(block: string): ServerSentEvent | null {
  const data: string[] = [];
  let id: string | null = null;
  let event = 'message';
  for (const line of block.split(/\r\n|\n|\r/)) {
    if (line.startsWith(':')) continue;
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') data.push(value);
    else if (field === 'id') id = value;
    else if (field === 'event') event = value;
  }
  return data.length > 0 ? { id, event, data: data.join('\n') } : null;
}

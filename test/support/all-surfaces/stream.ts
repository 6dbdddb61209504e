/** An open stream of events, as a page of the console holds one, read to its end; what it tells goes into the ledger. */
import { wallClock } from './arrivals.ts';
import type { Ledger } from './ledger.ts';

export interface OpenStream {
  /** Ends it. @throws what ended it before */
  close(): Promise<void>;
}

/** @param headers of whoever may read it */
export async function followStream(
  url: string,
  headers: Record<string, string>,
  ledger: Ledger,
): Promise<OpenStream> {
  const abort = new AbortController();
  const answer = await fetch(url, {
    headers: { ...headers, accept: 'text/event-stream' },
    signal: abort.signal,
  });
  if (answer.status !== 200) throw new Error(`the stream: ${answer.status} ${await answer.text()}`);
  let last = 0;
  const take = (sequence: number): void => {
    if (sequence <= last) ledger.streamFaults.push(`${sequence} after ${last}`);
    last = sequence;
    ledger.streamed.set(sequence, wallClock());
  };
  const reading = (async () => {
    let rest = '';
    let id = 0;
    const decoder = new TextDecoder();
    for await (const chunk of answer.body!) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop()!;
      for (const line of lines) {
        if (line.startsWith('id: ')) id = Number(line.slice(4));
        // An ID alone only says how far the stream has come.
        else if (line.startsWith('data: ')) take(id);
      }
    }
  })();
  let closed = false;
  const ended = reading.then(
    () => {
      if (!closed) ledger.streamFaults.push('it ended by itself');
    },
    (error: Error) => {
      if (!closed) ledger.streamFaults.push(`it broke: ${error.message}`);
    },
  );
  return {
    async close() {
      closed = true;
      abort.abort();
      await ended;
    },
  };
}

/**
 * Messages that are sent at the same time go to the server in one statement: while one is under way the next gathers. Each
 * id is in one statement only once; what comes twice waits for the next.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from '../../platform/db/database.ts';
import { type Sending, takeMessages, type Taken } from './sandbox-sent.system-store.ts';

const MOST = 500;
/** Of text in one statement. */
const MAX_CHARACTERS = 4 * 1024 * 1024;

interface Waiting {
  sending: Sending;
  resolve: (taken: Taken) => void;
  reject: (reason: unknown) => void;
}

const getId = ({ instanceId, clientId }: Sending): string => `${instanceId} ${clientId}`;
const getCharacters = ({ toAccount, steps }: Sending): number =>
  toAccount.length + steps.reduce((sum, { signals }) => sum + signals.length, 0);

export interface SandboxBatch {
  /** Resolves once it is taken, durably. @throws what the database throws: then nobody knows */
  take(sending: Sending): Promise<Taken>;
}

export function createSandboxBatch(db: Database): SandboxBatch {
  let waiting: Waiting[] = [];
  let running = false;

  /** As many as go together, the first always. */
  const next = (): Waiting[] => {
    const ids = new Set<string>();
    const left: Waiting[] = [];
    const batch: Waiting[] = [];
    let characters = 0;
    for (const one of waiting) {
      const id = getId(one.sending);
      characters += getCharacters(one.sending);
      const fits = batch.length === 0 || (batch.length < MOST && characters <= MAX_CHARACTERS);
      if (fits && !ids.has(id)) batch.push(one);
      else left.push(one);
      ids.add(id);
    }
    waiting = left;
    return batch;
  };

  const run = async (): Promise<void> => {
    running = true;
    await nextTurn();
    while (waiting.length > 0) {
      const batch = next();
      try {
        const taken = await takeMessages(
          db,
          batch.map(({ sending }) => sending),
        );
        for (const [index, one] of batch.entries()) {
          const result = taken[index];
          if (result) one.resolve(result);
          else waiting.push(one);
        }
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    running = false;
  };

  return {
    take: (sending) =>
      new Promise((resolve, reject) => {
        waiting.push({ sending, resolve, reject });
        if (!running) void run();
      }),
  };
}

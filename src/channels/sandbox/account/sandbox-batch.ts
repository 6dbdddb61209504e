/**
 * Batches concurrent messages into one statement each: while a statement runs, the next batch collects. A client ID is in
 * a batch at most once; a duplicate waits for the next batch.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from '../../../platform/db/database.ts';
import { type OutboundRow, acceptMessages, type Acceptance } from './sandbox-sent.system-store.ts';

const MAX_MESSAGES = 500;
/** Maximum characters per statement. */
const MAX_CHARACTERS = 4 * 1024 * 1024;

interface Waiting {
  row: OutboundRow;
  resolve: (acceptance: Acceptance) => void;
  reject: (reason: unknown) => void;
}

const getId = ({ instanceId, clientId }: OutboundRow): string => `${instanceId} ${clientId}`;
const getCharacters = ({ toAccount, steps }: OutboundRow): number =>
  toAccount.length + steps.reduce((sum, { signals }) => sum + signals.length, 0);

export interface SandboxBatch {
  /** Resolves when the message is stored durably. @throws database errors, after which the outcome is unknown */
  accept(row: OutboundRow): Promise<Acceptance>;
}

export function createSandboxBatch(db: Database): SandboxBatch {
  let waiting: Waiting[] = [];
  let running = false;

  /** Takes the next batch: at least one message. */
  const next = (): Waiting[] => {
    const ids = new Set<string>();
    const left: Waiting[] = [];
    const batch: Waiting[] = [];
    let characters = 0;
    for (const one of waiting) {
      const id = getId(one.row);
      characters += getCharacters(one.row);
      const fits = batch.length === 0 || (batch.length < MAX_MESSAGES && characters <= MAX_CHARACTERS);
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
        const acceptance = await acceptMessages(
          db,
          batch.map(({ row }) => row),
        );
        for (const [index, one] of batch.entries()) {
          const result = acceptance[index];
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
    accept: (row) =>
      new Promise((resolve, reject) => {
        waiting.push({ row, resolve, reject });
        if (!running) void run();
      }),
  };
}

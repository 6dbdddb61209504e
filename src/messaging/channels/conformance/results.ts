/** What a run has proven of a channel: a row of the table in docs/channels.md. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Capabilities, type ChannelOperation, MESSAGE_TYPES, OPERATIONS } from '../capabilities.ts';
import type { MessageType } from '../capabilities.ts';

/** `proven`: claimed, and seen at the other end. `claimed`: the harness had no way to see it. `no`: not claimed. */
export type Verdict = 'proven' | 'claimed' | 'failed' | 'no';

export interface ChannelResults {
  channel: string;
  title: string;
  resend: string;
  types: Record<MessageType, Verdict>;
  operations: Record<ChannelOperation, Verdict>;
}

export interface Proofs {
  /** Runs the check of a capability. Throws what it throws. */
  proves(capability: MessageType | ChannelOperation, check: () => Promise<void>): Promise<void>;
  results(capabilities: Capabilities): Pick<ChannelResults, 'types' | 'operations'>;
}

export function createProofs(): Proofs {
  const proofs = new Map<string, 'proven' | 'failed'>();
  const verdictOf = (name: string, isClaimed: boolean): Verdict =>
    isClaimed ? (proofs.get(name) ?? 'claimed') : 'no';
  return {
    async proves(capability, check) {
      const before = proofs.get(capability);
      proofs.set(capability, 'failed');
      await check();
      if (before !== 'failed') proofs.set(capability, 'proven');
    },
    results({ types, operations }) {
      const ofTypes = MESSAGE_TYPES.map((type) => [type, verdictOf(type, type in types)]);
      const ofOperations = OPERATIONS.map((name) => [name, verdictOf(name, operations.includes(name))]);
      return {
        types: Object.fromEntries(ofTypes) as ChannelResults['types'],
        operations: Object.fromEntries(ofOperations) as ChannelResults['operations'],
      };
    },
  };
}

/** `<folder>/<channel>.json`, sorted as the API lists types and operations. */
export async function writeResults(folder: string, results: ChannelResults): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${results.channel}.json`), `${JSON.stringify(results, null, 2)}\n`);
}

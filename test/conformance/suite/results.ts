/** What a run has proven of a channel: a row of the table in docs/channels.md. */
import {
  type Capabilities,
  type ChannelOperation,
  MESSAGE_TYPES,
  type MessageType,
  OPERATIONS,
} from '../../../src/channels/contract/capabilities.ts';

/** `proven`: claimed, and seen at the other end. `claimed`: the harness had no way to see it. `no`: not claimed. */
export type Verdict = 'proven' | 'claimed' | 'failed' | 'no';

export interface ChannelResults {
  channel: string;
  title: string;
  /** Programs that were at the other end, with the version at the last run that wrote this file. */
  servers: Record<string, string>;
  resend: string;
  pairs: boolean;
  types: Record<MessageType, Verdict>;
  operations: Record<ChannelOperation, Verdict>;
}

export interface Proofs {
  /** Runs the check of a capability. Throws what it throws. A check that skips its test proves nothing, either way. */
  proves(capability: MessageType | ChannelOperation, check: () => Promise<void>): Promise<void>;
  results(capabilities: Capabilities): Pick<ChannelResults, 'types' | 'operations'>;
}

/** How the runner's `skip` leaves a test. */
const isSkip = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === 'VITEST_PENDING';

export function createProofs(): Proofs {
  const proofs = new Map<string, 'proven' | 'failed'>();
  const getVerdict = (name: string, isClaimed: boolean): Verdict =>
    isClaimed ? (proofs.get(name) ?? 'claimed') : 'no';
  return {
    async proves(capability, check) {
      const before = proofs.get(capability);
      // One that never ends has failed, too.
      proofs.set(capability, 'failed');
      try {
        await check();
      } catch (error) {
        if (isSkip(error))
          if (before) proofs.set(capability, before);
          else proofs.delete(capability);
        throw error;
      }
      if (before !== 'failed') proofs.set(capability, 'proven');
    },
    results({ types, operations }) {
      const ofTypes = MESSAGE_TYPES.map((type) => [type, getVerdict(type, type in types)]);
      const ofOperations = OPERATIONS.map((name) => [name, getVerdict(name, operations.includes(name))]);
      return {
        types: Object.fromEntries(ofTypes) as ChannelResults['types'],
        operations: Object.fromEntries(ofOperations) as ChannelResults['operations'],
      };
    },
  };
}

/** Where the verdicts of a channel are kept, from the root of the repository. */
export const resultsFile = (channel: string): string => `docs/channels/${channel}.json`;

export const resultsText = (results: ChannelResults): string => `${JSON.stringify(results, null, 2)}\n`;

/** Signals as stored in an inbox: JSON, with references to files. */
import { parseOwnJson } from '../../../platform/json/own-json.ts';
import type { GroupAbout } from '../../contract/connection.ts';
import type { GroupSignal, InboundMessage, Signal } from '../../contract/signal.ts';

/** Location of a file: chunks that a sender uploaded, or the picture of the scripted contacts. */
export type FileInTransit =
  | { from: 'sender'; instanceId: string; clientId: string; fileName: string | null; mimeType: string }
  | { from: 'script'; fileName: string; mimeType: string };

/** The picture of a group as of delivery. */
export type StoredPicture = { from: 'group'; id: string };

export type StoredMessage = Omit<InboundMessage, 'file'> & { file: FileInTransit | null };
export type StoredGroup = Omit<GroupSignal, 'about'> & {
  about?: Omit<Partial<GroupAbout>, 'picture'> & { picture?: StoredPicture | null };
};
export type StoredSignal = Exclude<Signal, InboundMessage | GroupSignal> | StoredMessage | StoredGroup;

/** Serializes signals. JSON escapes NUL and lone surrogates, which the database would reject. */
export const writeSignals = (signals: StoredSignal[]): string => JSON.stringify(signals);

export function readSignals(text: string): StoredSignal[] {
  const signals = parseOwnJson<StoredSignal[]>(text);
  for (const signal of signals) {
    if ('at' in signal) signal.at = new Date(signal.at);
    if (signal.kind === 'limit' && signal.restriction?.until)
      signal.restriction.until = new Date(signal.restriction.until);
  }
  return signals;
}

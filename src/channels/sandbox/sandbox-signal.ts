/** Signals as they lie in an inbox: JSON, with files that are still to be received. */
import type { GroupAbout } from '../contract/connection.ts';
import type { GroupSignal, InboundMessage, Signal } from '../contract/signal.ts';

/** Where the bytes of a file are: pieces that a sender has left, or the picture that every scripted contact has. */
export type FileOnItsWay =
  | { from: 'sender'; instanceId: string; clientId: string; fileName: string | null; mimeType: string }
  | { from: 'script'; fileName: string; mimeType: string };

/** The picture that a group has when it is told. */
export type PictureOnItsWay = { from: 'group'; id: string };

export type StoredMessage = Omit<InboundMessage, 'file'> & { file: FileOnItsWay | null };
export type StoredGroup = Omit<GroupSignal, 'about'> & {
  about?: Omit<Partial<GroupAbout>, 'picture'> & { picture?: PictureOnItsWay | null };
};
export type StoredSignal = Exclude<Signal, InboundMessage | GroupSignal> | StoredMessage | StoredGroup;

/** Escapes what the database would not take: NUL and halves of characters. */
export const writeSignals = (signals: StoredSignal[]): string => JSON.stringify(signals);

export function readSignals(text: string): StoredSignal[] {
  const signals = JSON.parse(text) as StoredSignal[];
  for (const signal of signals) {
    if ('at' in signal) signal.at = new Date(signal.at);
    if (signal.kind === 'limit' && signal.restriction?.until)
      signal.restriction.until = new Date(signal.restriction.until);
  }
  return signals;
}

/**
 * By what a channel's messages are known. The unique name is the server's: a message is taken in once by it, and it means
 * that message for ever. Aliases are names that writers choose: of two messages with the same the newer is meant. An alias
 * is never what something is taken in by, and never pushes a unique name out.
 */
import type { InboundMessage } from '../../../channels/contract/signal.ts';
import { channelKey } from '../records/channel-key.ts';

/** Of one message. */
const MAX_ALIASES = 8;

/** The message that a name refers to. */
export interface Named {
  messageId: string;
  isAlias: boolean;
}

/** By what a message is taken in once. */
export const getUniqueName = ({ uniqueId, externalId }: InboundMessage): string =>
  channelKey(uniqueId ?? externalId);

/** Further names that later signals may have for it. */
export function getAliases(message: InboundMessage): string[] {
  const { aliases } = message;
  if (!aliases?.length) return [];
  const unique = getUniqueName(message);
  return [...new Set(aliases.slice(0, MAX_ALIASES).map(channelKey))].filter((alias) => alias !== unique);
}

/** Names of messages, known and new, within one transaction. */
export interface Names {
  /** Message by any of its names. */
  find(name: string): string | null;
  /** Names of messages that are already stored. */
  findUnique(name: string): string | null;
  /** A unique name that is there already stays what it is. @returns whether it was new */
  addUnique(name: string, messageId: string): boolean;
  /** Takes the name over from a message that came before. */
  addAlias(alias: string, messageId: string): void;
  /** New rows. */
  readonly fresh: ReadonlyMap<string, Named>;
}

/** All that a message is called by. @returns whether its unique name was new; else nothing changes */
export function addNames(names: Names, message: InboundMessage, messageId: string): boolean {
  if (!names.addUnique(getUniqueName(message), messageId)) return false;
  for (const alias of getAliases(message)) names.addAlias(alias, messageId);
  return true;
}

/** @param known as it is stored */
export function createNames(known: ReadonlyMap<string, Named>): Names {
  const fresh = new Map<string, Named>();
  const get = (name: string): Named | undefined => fresh.get(name) ?? known.get(name);
  const findUnique = (name: string): string | null => {
    const found = get(name);
    return found && !found.isAlias ? found.messageId : null;
  };
  return {
    find: (name) => get(name)?.messageId ?? null,
    findUnique,
    addUnique(name, messageId) {
      if (findUnique(name) !== null) return false;
      fresh.set(name, { messageId, isAlias: false });
      return true;
    },
    addAlias(alias, messageId) {
      if (findUnique(alias) === null) fresh.set(alias, { messageId, isAlias: true });
    },
    fresh,
  };
}

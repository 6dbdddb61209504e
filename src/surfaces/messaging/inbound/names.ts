/**
 * The names by which a channel's messages are found. The unique name is assigned by the server: it deduplicates
 * messages and always refers to the same one. Aliases are names that authors choose: of two messages with the same
 * alias, it refers to the newer one. An alias never deduplicates messages and never replaces a unique name.
 */
import type { InboundMessage } from '../../../channels/contract/signal.ts';
import { channelKey } from '../records/channel-key.ts';

/** Maximum aliases of one message. */
const MAX_ALIASES = 8;

/** The message that a name refers to. */
export interface Named {
  messageId: string;
  isAlias: boolean;
}

/** Returns the name that deduplicates a message. */
export const getUniqueName = ({ uniqueId, externalId }: InboundMessage): string =>
  channelKey(uniqueId ?? externalId);

/** Returns further names that later signals may use for a message. */
export function getAliases(message: InboundMessage): string[] {
  const { aliases } = message;
  if (!aliases?.length) return [];
  const unique = getUniqueName(message);
  return [...new Set(aliases.slice(0, MAX_ALIASES).map(channelKey))].filter((alias) => alias !== unique);
}

/** Names of messages, known and new, within one transaction. */
export interface Names {
  /** Finds a message by any of its names. */
  find(name: string): string | null;
  /** Finds a message by its unique name. */
  findUnique(name: string): string | null;
  /** Adds a unique name; an existing one is not changed. @returns whether it was new */
  addUnique(name: string, messageId: string): boolean;
  /** Adds an alias, which moves from an earlier message if that has it. */
  addAlias(alias: string, messageId: string): void;
  /** New rows. */
  readonly fresh: ReadonlyMap<string, Named>;
}

/** Adds all names of a message. @returns whether its unique name was new; otherwise nothing changes */
export function addNames(names: Names, message: InboundMessage, messageId: string): boolean {
  if (!names.addUnique(getUniqueName(message), messageId)) return false;
  for (const alias of getAliases(message)) names.addAlias(alias, messageId);
  return true;
}

/** @param known stored names */
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

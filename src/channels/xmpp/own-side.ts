/** Distinguishes stanzas of the account's own server from those of anyone who can write to the account. */
import type { Element } from '@xmpp/xml';
import { readBare } from './wire/address.ts';

/** Whether the account's server pushed it: per RFC 6120 (8.1.2.1) it is from the account itself, or has no sender. */
function isOwnSide(stanza: Element, account: string): boolean {
  const from = stanza.attrs['from'] as string | undefined;
  return from === undefined || (!from.includes('/') && readBare(from) === account);
}

/** Returns the payload of a `set` from the account's own server; null for any other stanza. */
export function getPush(stanza: Element, account: string, name: string, namespace: string): Element | null {
  if (!stanza.is('iq') || stanza.attrs['type'] !== 'set' || !isOwnSide(stanza, account)) return null;
  return stanza.getChild(name, namespace) ?? null;
}

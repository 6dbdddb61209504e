/** Who speaks for the account: its own server side, and nobody who can merely write to it. */
import type { Element } from '@xmpp/xml';
import { readBare } from './wire/address.ts';

/** As RFC 6120 (8.1.2.1) has it for what a server pushes: from the account itself, or from nobody named. */
function isOwnSide(stanza: Element, account: string): boolean {
  const from = stanza.attrs['from'] as string | undefined;
  return from === undefined || (!from.includes('/') && readBare(from) === account);
}

/** A `set` of the account's own server that begins with that payload; null for anything else, however it looks. */
export function getPush(stanza: Element, account: string, name: string, namespace: string): Element | null {
  if (!stanza.is('iq') || stanza.attrs['type'] !== 'set' || !isOwnSide(stanza, account)) return null;
  return stanza.getChild(name, namespace) ?? null;
}

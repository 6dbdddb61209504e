/** Receives the groupchat stanzas of one room: its subject, change notices, and messages, including our own. */
import type { Element } from '@xmpp/xml';
import { MUC, onlyChild } from './muc.ts';
import type { Self } from './people.ts';
import type { KnownAbout } from './room-about.ts';
import type { RoomChanges } from './room-changes.ts';
import type { RoomEntrance } from './room-entrance.ts';
import type { RoomInbound } from './room-inbound.ts';
import { getStanzaId, isSubject, saysChanged } from './room-messages.ts';
import type { RoomPosts } from './room-posts.ts';
import type { RoomRefresh } from './room-refresh.ts';
import type { Room } from './room.ts';

export interface GroupchatDeps {
  room: Pick<Room, 'address' | 'state' | 'view'>;
  self: Readonly<Self>;
  known: KnownAbout;
  posts: Pick<RoomPosts, 'onShown'>;
  inbound: Pick<RoomInbound, 'hear'>;
  changes: Pick<RoomChanges, 'onAbout'>;
  entrance: Pick<RoomEntrance, 'onSubject'>;
  refresh: Pick<RoomRefresh, 'onChanged'>;
}

function onSubject(deps: GroupchatDeps, stanza: Element, name: string | null): void {
  const { room, self, known, posts, changes, entrance } = deps;
  const text = stanza.getChildText('subject') ?? '';
  entrance.onSubject();
  const id = stanza.attrs['id'] as string | undefined;
  if (name === self.nick && id !== undefined) posts.onShown(id, null);
  if (text === known.subject) return;
  known.subject = text;
  if (room.state !== 'in') return;
  const author = room.view.author(stanza, false);
  changes.onAbout(author.name === null ? null : author.address);
}

/** @param name the author's nick; null for the room itself */
export function onGroupchat(deps: GroupchatDeps, stanza: Element, name: string | null): void {
  const { room, self, known, posts, inbound, refresh } = deps;
  if (name === null && saysChanged(stanza)) refresh.onChanged();
  const delay = room.state === 'entering' ? onlyChild(stanza, 'delay', MUC.delay) : null;
  if (isSubject(stanza)) return onSubject(deps, stanza, name);
  // This is history, which is read from the archive if there is one.
  if (delay && known.info?.hasArchive) return;
  const stanzaId = getStanzaId(stanza, room.address, known.info);
  const isArchived = delay !== null;
  const at = delay ? new Date(String(delay.attrs['stamp'])) : new Date();
  const id = stanza.attrs['id'] as string | undefined;
  if (name !== null && name === self.nick && id !== undefined && !delay) posts.onShown(id, stanzaId);
  if (!Number.isNaN(at.getTime()))
    inbound.hear({ stanza, stanzaId, at, isArchived, author: room.view.author(stanza, isArchived) });
}

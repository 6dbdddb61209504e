/** Reads the messages of one room into signals, with authors as the room shows them. */
import type { Signal } from '../../contract/signal.ts';
import { readMessage } from '../stanza/read-message.ts';
import type { RoomView } from '../stanza/room-view.ts';
import { readOrKeep } from '../stanza/unread.ts';
import type { People } from './people.ts';
import type { KnownAbout } from './room-about.ts';
import { getAuthor } from './room-author.ts';
import type { InboundStanza } from './room-inbound.ts';
import { isSubject } from './room-messages.ts';

export interface RoomReaderDeps {
  /** The room's address. */
  address: string;
  account: string;
  people: Pick<People, 'occupants' | 'self'>;
  known: Readonly<KnownAbout>;
}

export interface RoomReader {
  readonly view: RoomView;
  read(stanza: InboundStanza): Signal[];
}

export function createRoomReader({ address, account, people, known }: RoomReaderDeps): RoomReader {
  const { occupants, self } = people;
  const view: RoomView = {
    address,
    get title() {
      return known.title;
    },
    author: (stanza, isArchived) =>
      getAuthor(stanza, isArchived, {
        address,
        account,
        nick: self.nick,
        ownId: self.id,
        hasOccupantIds: known.info?.hasOccupantIds ?? false,
        isOpen: known.info?.isOpen ?? false,
        occupants,
      }),
    getAddress: (name) => occupants.byNick.get(name)?.address ?? null,
  };
  return {
    view,
    read({ stanza, stanzaId, at, isArchived, author }) {
      // The current subject is requested from the room instead.
      if (isSubject(stanza)) return [];
      const seen = author
        ? { address, title: view.title, getAddress: view.getAddress, author: () => author }
        : view;
      return readOrKeep({ stanza, stanzaId, at, room: address }, () =>
        readMessage(stanza, { account, stanzaId, at, room: seen, isArchived }),
      );
    },
  };
}

/** Refreshes the information and the lists of one room, on demand and when the room announces a change. */
import type { XmppStream } from '../session/stream.ts';
import type { Telling } from '../session/telling.ts';
import { coalesced } from './coalesced.ts';
import type { People } from './people.ts';
import type { KnownAbout } from './room-about.ts';
import type { RoomChanges } from './room-changes.ts';
import { askLists } from './room-info.ts';

export interface RoomRefreshDeps {
  stream: XmppStream;
  telling: Telling;
  /** The room's address. */
  address: string;
  people: Pick<People, 'occupants' | 'self'>;
  known: KnownAbout;
  changes: Pick<RoomChanges, 'onAbout'>;
  /** Whether the account is in the room. */
  isIn(): boolean;
  /** Returns a function that logs a failure of background work. */
  getWarning(what: string): (error: unknown) => void;
}

export interface RoomRefresh {
  /** Requests the room's information, and stores its password. @throws DriverError */
  ask(signal?: AbortSignal): Promise<void>;
  /** Requests the room's information again, and emits changes. @throws DriverError */
  refresh(signal?: AbortSignal): Promise<void>;
  /** Called when the room announces a change. */
  onChanged(): void;
  /** Called when the account's affiliation changes, and with it the lists that the room shows. */
  onMoved(): void;
}

export function createRoomRefresh(deps: RoomRefreshDeps): RoomRefresh {
  const { stream, telling, address, people, known, changes, isIn, getWarning } = deps;
  let refreshing: Promise<void> | null = null;

  const ask = async (signal?: AbortSignal): Promise<void> => {
    const isOther = await known.ask(people.self.affiliation === 'owner', signal);
    if (isOther && isIn())
      await telling.emit([], (position) => {
        const own = position.rooms[address];
        if (own) own.password = known.password;
      });
  };
  const refresh = (signal?: AbortSignal): Promise<void> => {
    // A refresh that is already running may have asked before the change.
    const next = (refreshing ?? Promise.resolve())
      .catch(() => {})
      .then(async () => {
        await ask(signal);
        changes.onAbout();
      });
    refreshing = next;
    return next;
  };
  const relist = async (): Promise<void> => {
    const lists = await askLists(stream, address);
    if (isIn()) people.occupants.setLists(lists);
    await ask();
    if (isIn()) changes.onAbout();
  };
  return {
    ask,
    refresh,
    onChanged: coalesced(refresh, getWarning('A room could not be asked what changed')),
    onMoved: coalesced(relist, getWarning("A room's lists could not be read")),
  };
}

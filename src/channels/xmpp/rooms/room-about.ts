/** State of a room: its configuration, its subject, and the password for entering. */
import type { GroupAbout } from '../../contract/connection.ts';
import type { XmppStream } from '../session/stream.ts';
import { inviteUrl } from './room-address.ts';
import { askPassword } from './room-config.ts';
import { describe, askInfo, type RoomInfo, getTitle } from './room-info.ts';

export interface KnownAbout {
  info: RoomInfo | null;
  subject: string;
  password: string | null;
  readonly title: string;
  about(): GroupAbout;
  /**
   * Asks the room.
   * @param isOwner whether the account sees its configuration
   * @returns whether its password changed
   * @throws DriverError
   */
  ask(isOwner: boolean, signal?: AbortSignal): Promise<boolean>;
}

export function createKnownAbout(stream: XmppStream, room: string): KnownAbout {
  const known: KnownAbout = {
    info: null,
    subject: '',
    password: null,
    get title() {
      return getTitle(room, known.info?.name ?? '', known.subject);
    },
    about: () => ({
      ...describe(room, known.info, known.subject),
      inviteUrl: inviteUrl(room, known.password),
      picture: null,
    }),
    async ask(isOwner, signal) {
      const info = await askInfo(stream, room, signal);
      known.info = info;
      const old = known.password;
      if (!info.features.has('muc_passwordprotected')) known.password = null;
      else if (isOwner) known.password = (await askPassword(stream, room, signal)) ?? known.password;
      return old !== known.password;
    },
  };
  return known;
}

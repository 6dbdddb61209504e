/** The recipient of a stanza. */
export interface Target {
  /** The normalized address. */
  address: string;
  kind: 'direct' | 'group';
  /** Whether it is an occupant of a room, who can only be reached through the room. */
  isOccupant: boolean;
}

export const getChatType = ({ kind }: Target): 'chat' | 'groupchat' =>
  kind === 'group' ? 'groupchat' : 'chat';

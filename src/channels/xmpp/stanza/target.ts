/** Where a stanza goes. */
export interface Target {
  /** An address, normalized. */
  address: string;
  kind: 'direct' | 'group';
  /** Somebody in a room, whom only the room knows: what goes there passes through it. */
  isOccupant: boolean;
}

export const getChatType = ({ kind }: Target): 'chat' | 'groupchat' =>
  kind === 'group' ? 'groupchat' : 'chat';

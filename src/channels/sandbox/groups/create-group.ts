/** Creates groups, for an account or for a scripted contact that a message asked to. */
import type { Tx } from '../../../platform/db/database.ts';
import type { GroupSettings, OutboundMessage, ParticipantOutcome } from '../../contract/connection.ts';
import { toName } from '../account/sandbox-address.ts';
import { isAccount } from '../account/sandbox-file.system-store.ts';
import type { Session } from '../account/sandbox-session.ts';
import { toGroupId, getInviteUrl, newInvite } from '../account/group-address.ts';
import { editGroup } from './group-change.ts';
import type { Draft, Group } from '../account/group.ts';
import { type Accounts, addMember, type Rejection } from '../account/group-rules.ts';
import {
  type NewInboxRow,
  findAccounts,
  insertGroup,
  lockGroup,
  insertInboxRows,
} from '../account/group.system-store.ts';

/** Removes NUL, which PostgreSQL cannot store. */
export const cleanText = (text: string): string => text.replaceAll('\0', '');

export interface NewGroup {
  id: string;
  /** Address of the owner. */
  creator: string;
  subject: string;
  description: string | null;
  settings: Partial<GroupSettings>;
  participants: readonly string[];
}

export interface CreatedGroup {
  group: Group;
  participants: ParticipantOutcome[];
  isNew: boolean;
  /** To be inserted in the same transaction. */
  rows: NewInboxRow[];
}

const emptyGroup = ({ id, subject }: NewGroup): Group => ({
  id,
  subject: cleanText(subject),
  description: null,
  settings: { announceOnly: false, locked: false, membersOnly: false },
  invite: newInvite(),
  pictureSha256: null,
  members: new Map(),
  banned: new Set(),
});

function fill(draft: Draft, input: NewGroup, accounts: Accounts): Map<string, Rejection | null> {
  draft.description = input.description === null ? null : cleanText(input.description);
  draft.settings = { ...draft.settings, ...input.settings };
  addMember(draft, input.creator, accounts);
  draft.members.get(input.creator)!.role = 'owner';
  return new Map(input.participants.map((address) => [address, addMember(draft, address, accounts)]));
}

/** Creates a group. Calls with an existing ID return that group. */
export async function createGroup(tx: Tx, { sender }: Session, input: NewGroup): Promise<CreatedGroup> {
  const { workspaceId } = sender;
  const { id, creator, participants } = input;
  const empty = emptyGroup(input);
  const isNew = await insertGroup(tx, workspaceId, empty);
  const getOutcomes = (refusals: Map<string, Rejection | null>): ParticipantOutcome[] =>
    participants.map((address) => ({ address, error: refusals.get(address) ?? null }));
  const accounts = await findAccounts(tx, workspaceId, [creator, ...participants]);
  if (!isNew) {
    const group = (await lockGroup(tx, workspaceId, id))!;
    // Reports again which people could not be added; later changes of membership are not errors of this call.
    const trial: Draft = { ...emptyGroup(input), gone: new Map(), isDestroyed: false };
    return { group, participants: getOutcomes(fill(trial, input, accounts)), isNew, rows: [] };
  }
  const { result, group, rows } = await editGroup(tx, workspaceId, empty, creator, (draft) =>
    fill(draft, input, accounts),
  );
  return { group, participants: getOutcomes(result), isNew, rows };
}

/** Other members of groups that a scripted contact creates. */
const FRIENDS = ['alice', 'bob', 'carol'];

/**
 * Lets a scripted contact create a group, as a message asked it to. Repeated calls for a message create one group.
 * @param word `group` includes the sender, `invite` does not
 * @returns the invitation; undefined if the recipient is an account, which creates none
 */
export async function createScriptedGroup(
  session: Session,
  { clientId, chat }: OutboundMessage,
  word: 'group' | 'invite',
): Promise<string | undefined> {
  const { server, sender, self } = session;
  const { address } = chat;
  if (address === self || (await isAccount(server.db, sender, address))) return undefined;
  const friends = FRIENDS.filter((name) => name !== address && name !== self);
  const { group } = await server.db.transaction().execute(async (tx) => {
    const created = await createGroup(tx, session, {
      id: toGroupId(sender.instanceId, clientId),
      creator: address,
      subject: `${toName(address)}'s group`,
      description: 'A sandbox group',
      settings: { membersOnly: true },
      participants: word === 'group' ? [self, ...friends] : friends,
    });
    await insertInboxRows(tx, sender.workspaceId, created.rows);
    return created;
  });
  return getInviteUrl(group.id, group.invite);
}

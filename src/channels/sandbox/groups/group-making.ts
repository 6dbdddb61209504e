/** Groups that come to be: made by an account, or by a scripted contact that was asked to. */
import type { Tx } from '../../../platform/db/database.ts';
import type { GroupSettings, OutboundMessage, ParticipantOutcome } from '../../contract/connection.ts';
import { nameOfAddress } from '../sandbox-address.ts';
import { isAccount } from '../sandbox-file.system-store.ts';
import type { Session } from '../sandbox-session.ts';
import { groupIdFor, getInviteUrl, newInvite } from './group-address.ts';
import { editGroup } from './group-change.ts';
import type { Draft, Group } from './group.ts';
import { type Accounts, letIn, type Refusal } from './group-rules.ts';
import { type Due, findAccounts, insertGroup, lockGroup, tellMembers } from './group.system-store.ts';

/** The database has no NUL. */
export const cleanText = (text: string): string => text.replaceAll('\0', '');

export interface Making {
  id: string;
  /** An address: the owner. */
  maker: string;
  subject: string;
  description: string | null;
  settings: Partial<GroupSettings>;
  participants: readonly string[];
}

export interface Made {
  group: Group;
  participants: ParticipantOutcome[];
  isNew: boolean;
  /** To be told in the same transaction. */
  due: Due[];
}

const emptyGroup = ({ id, subject }: Making): Group => ({
  id,
  subject: cleanText(subject),
  description: null,
  settings: { announceOnly: false, locked: false, membersOnly: false },
  invite: newInvite(),
  pictureSha256: null,
  members: new Map(),
  banned: new Set(),
});

function fill(draft: Draft, making: Making, accounts: Accounts): Map<string, Refusal | null> {
  draft.description = making.description === null ? null : cleanText(making.description);
  draft.settings = { ...draft.settings, ...making.settings };
  letIn(draft, making.maker, accounts);
  draft.members.get(making.maker)!.role = 'owner';
  return new Map(making.participants.map((address) => [address, letIn(draft, address, accounts)]));
}

/** Once, however often it is called with the same id: then it is told as it is. */
export async function makeGroup(tx: Tx, { teller }: Session, making: Making): Promise<Made> {
  const { workspaceId } = teller;
  const { id, maker, participants } = making;
  const empty = emptyGroup(making);
  const isNew = await insertGroup(tx, workspaceId, empty);
  const getOutcomes = (refusals: Map<string, Refusal | null>): ParticipantOutcome[] =>
    participants.map((address) => ({ address, error: refusals.get(address) ?? null }));
  const accounts = await findAccounts(tx, workspaceId, [maker, ...participants]);
  if (!isNew) {
    const group = (await lockGroup(tx, workspaceId, id))!;
    // Who could not come in the first time is told again; what became of the others since is no fault of this call.
    const trial: Draft = { ...emptyGroup(making), gone: new Map(), isDestroyed: false };
    return { group, participants: getOutcomes(fill(trial, making, accounts)), isNew, due: [] };
  }
  const { result, group, due } = await editGroup(tx, workspaceId, empty, maker, (draft) =>
    fill(draft, making, accounts),
  );
  return { group, participants: getOutcomes(result), isNew, due };
}

/** Who else comes into a group that a scripted contact makes. */
const FRIENDS = ['alice', 'bob', 'carol'];

/**
 * A scripted contact makes a group, as it was asked to by a message: once, however often that is sent.
 * @param word `group`: with who asked in it; `invite`: without
 * @returns its invitation; undefined where the other side is an account, which makes none
 */
export async function makeGroupFor(
  session: Session,
  { clientId, chat }: OutboundMessage,
  word: 'group' | 'invite',
): Promise<string | undefined> {
  const { server, teller, self } = session;
  const { address } = chat;
  if (address === self || (await isAccount(server.db, teller, address))) return undefined;
  const friends = FRIENDS.filter((name) => name !== address && name !== self);
  const { group } = await server.db.transaction().execute(async (tx) => {
    const made = await makeGroup(tx, session, {
      id: groupIdFor(teller.instanceId, clientId),
      maker: address,
      subject: `${nameOfAddress(address)}'s group`,
      description: 'A group of the sandbox',
      settings: { membersOnly: true },
      participants: word === 'group' ? [self, ...friends] : friends,
    });
    await tellMembers(tx, teller.workspaceId, made.due);
    return made;
  });
  return getInviteUrl(group.id, group.invite);
}

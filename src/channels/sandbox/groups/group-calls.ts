/** What an account can do with groups. Each call may come twice: what is so already is no fault. */
import { Readable } from 'node:stream';
import type { GroupCalls, GroupInfo, OutboundFile } from '../../contract/connection.ts';
import { DriverError } from '../../contract/driver-error.ts';
import { findFault } from '../sandbox-faults.ts';
import { misbehave, refuseForNow } from '../sandbox-misbehaviour.ts';
import { atServer, type Session, wakeAll } from '../sandbox-session.ts';
import {
  addressOfGroup,
  groupIdFor,
  getGroupId,
  getInviteUrl,
  newInvite,
  readInvite,
} from './group-address.ts';
import { changeGroup } from './group-change.ts';
import { cleanText, makeGroup } from './group-making.ts';
import { describe, type Group, getParticipants } from './group.ts';
import { MAX_PICTURE_BYTES } from './group-limits.ts';
import * as rules from './group-rules.ts';
import { findAccounts, readGroup, readPicture, tellMembers } from './group.system-store.ts';

const rejected = (code: string, detail: string): DriverError => new DriverError('rejected', code, detail);

async function toInfo(session: Session, group: Group): Promise<GroupInfo> {
  const { server, teller, context } = session;
  const bytes =
    group.pictureSha256 === null ? null : await readPicture(server.db, teller.workspaceId, group.id);
  const about = { fileName: null, mimeType: null };
  return {
    key: addressOfGroup(group.id),
    address: addressOfGroup(group.id),
    ...describe(group),
    picture: bytes && { received: await context.receiveFile(Readable.from([bytes]), about) },
    participants: getParticipants(group),
  };
}

/** @throws DriverError rejected: too_large, unsupported_media_type */
async function readWhole(file: OutboundFile, signal: AbortSignal): Promise<Buffer> {
  if (!file.mimeType.startsWith('image/'))
    throw rejected('unsupported_media_type', "A group's picture is an image.");
  const tooLarge = rejected('too_large', "A group's picture has at most 1 MiB in the sandbox.");
  if (file.size > MAX_PICTURE_BYTES) throw tooLarge;
  const source = await file.open();
  try {
    const pieces: Buffer[] = [];
    let size = 0;
    for await (const piece of source) {
      size += (piece as Buffer).length;
      if (signal.aborted || size > MAX_PICTURE_BYTES) throw tooLarge;
      pieces.push(piece as Buffer);
    }
    return Buffer.concat(pieces);
  } finally {
    source.destroy();
  }
}

/** The fault that one of those who are added asks for; `fail@` concerns that one alone. */
function faultAmong(addresses: readonly string[]) {
  for (const address of addresses) {
    const fault = findFault(address);
    if (fault !== null && fault !== 'fail') return fault;
  }
  return null;
}

export function createGroupCalls(session: Session): GroupCalls {
  const { self, teller, server, context } = session;
  const { workspaceId, instanceId } = teller;
  const { db } = server;

  return {
    async create({ clientId, participants, ...about }, signal) {
      const fault = faultAmong(participants);
      const id = groupIdFor(instanceId, clientId);
      const made = await atServer(session, signal, async () => {
        if (fault) await refuseForNow(session, `group ${id}`, fault);
        const done = await db.transaction().execute(async (tx) => {
          const making = await makeGroup(tx, session, { ...about, id, maker: self, participants });
          // The maker knows it by the answer, and nothing of it was told before.
          await tellMembers(
            tx,
            workspaceId,
            making.due.filter((due) => due.instanceId !== instanceId),
          );
          return making;
        });
        if (done.due.length > 1) wakeAll(server);
        return done;
      });
      if (fault) await misbehave(session, fault, made.isNew, signal);
      return { group: await toInfo(session, made.group), participants: made.participants };
    },

    get: (key, signal) =>
      atServer(session, signal, async () => {
        const id = getGroupId(key);
        const group = id === null ? undefined : await readGroup(db, workspaceId, id);
        if (!group) throw rules.groupUnknown();
        rules.getMember(group, self);
        return toInfo(session, group);
      }),

    update: (key, { subject, description, settings, picture }, signal) =>
      atServer(session, signal, async () => {
        const bytes = picture ? await readWhole(picture, signal) : picture;
        await changeGroup(session, getGroupId(key), (draft) => {
          const member = rules.getMember(draft, self);
          if (!rules.mayDescribe(draft, member)) throw rules.notAllowed();
          if (settings && !rules.isAdmin(member)) throw rules.notAllowed();
          if (subject !== undefined) draft.subject = cleanText(subject);
          if (description !== undefined) draft.description = description && cleanText(description);
          if (settings) draft.settings = { ...draft.settings, ...settings };
          if (bytes !== undefined) draft.picture = bytes;
        });
      }),

    async changeParticipants(key, action, addresses, signal) {
      const fault = action === 'add' ? faultAmong(addresses) : null;
      const { outcomes, isNew } = await atServer(session, signal, async () => {
        if (fault) await refuseForNow(session, `${key} ${addresses.join(' ')}`, fault);
        const { result } = await changeGroup(session, getGroupId(key), async (draft, tx) => {
          const accounts = action === 'add' ? await findAccounts(tx, workspaceId, addresses) : new Map();
          const before = draft.members.size;
          const done = addresses.map((address) => ({
            address,
            // Who did the one before may be no admin any more.
            error: rules.changeParticipant(draft, rules.getAdmin(draft, self), action, address, accounts),
          }));
          return { outcomes: done, isNew: draft.members.size > before };
        });
        return result;
      });
      if (fault) await misbehave(session, fault, isNew, signal);
      return outcomes;
    },

    revokeInvite: (key, signal) =>
      atServer(session, signal, async () => {
        const { group } = await changeGroup(session, getGroupId(key), (draft) => {
          rules.getAdmin(draft, self);
          draft.invite = newInvite();
        });
        return getInviteUrl(group.id, group.invite);
      }),

    join: (invite, signal) =>
      atServer(session, signal, async () => {
        const asked = readInvite(invite);
        if (!asked) throw rejected('invite_invalid', 'That is no invitation of the sandbox.');
        const { group } = await changeGroup(session, asked.id, (draft) => {
          if (draft.members.has(self)) return;
          if (asked.invite !== null && asked.invite !== draft.invite)
            throw rejected('invite_invalid', 'The invitation is not valid any more.');
          if (asked.invite === null && draft.settings.membersOnly)
            throw rejected('invite_required', 'Nobody comes into the group without an invitation.');
          const account = { instanceId, name: context.name };
          const refused = rules.letIn(draft, self, new Map([[self, account]]));
          if (refused) throw rejected(refused.code, refused.detail);
        });
        return toInfo(session, group);
      }),

    leave: (key, signal) =>
      atServer(session, signal, async () => {
        const id = getGroupId(key);
        const group = id === null ? undefined : await readGroup(db, workspaceId, id);
        if (!group?.members.has(self)) return;
        await changeGroup(session, id, (draft) => rules.takeOut(draft, self, 'left'));
      }),
  };
}

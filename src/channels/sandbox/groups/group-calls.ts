/** Group operations of an account. Calls may be repeated: an operation without effect is not an error. */
import { Readable } from 'node:stream';
import type { GroupCalls, GroupInfo, OutboundFile } from '../../contract/connection.ts';
import { DriverError } from '../../contract/driver-error.ts';
import { findFault } from '../account/sandbox-faults.ts';
import { applyFault, rejectTemporarily } from '../account/apply-fault.ts';
import { atServer, type Session, wakeAll } from '../account/sandbox-session.ts';
import {
  toGroupAddress,
  toGroupId,
  getGroupId,
  getInviteUrl,
  newInvite,
  readInvite,
} from '../account/group-address.ts';
import { changeGroup } from './group-change.ts';
import { cleanText, createGroup } from './create-group.ts';
import { describe, type Group, getParticipants } from '../account/group.ts';
import * as rules from '../account/group-rules.ts';
import { findAccounts, readGroup, readPicture, insertInboxRows } from '../account/group.system-store.ts';

/** The console's tests look for it, too. */
export const INVITE_ENDED = 'The invitation is no longer valid.';

const MAX_PICTURE_BYTES = 1024 * 1024;

const rejected = (code: string, detail: string): DriverError => new DriverError('rejected', code, detail);

async function toInfo(session: Session, group: Group): Promise<GroupInfo> {
  const { server, sender, context } = session;
  const bytes =
    group.pictureSha256 === null ? null : await readPicture(server.db, sender.workspaceId, group.id);
  const about = { fileName: null, mimeType: null };
  return {
    key: toGroupAddress(group.id),
    address: toGroupAddress(group.id),
    ...describe(group),
    picture: bytes && { received: await context.receiveFile(Readable.from([bytes]), about) },
    participants: getParticipants(group),
  };
}

/** @throws DriverError rejected: too_large, unsupported_media_type */
async function readWhole(file: OutboundFile, signal: AbortSignal): Promise<Buffer> {
  if (!file.mimeType.startsWith('image/'))
    throw rejected('unsupported_media_type', 'The picture of a group must be an image.');
  const tooLarge = rejected('too_large', 'The picture of a sandbox group must not exceed 1 MiB.');
  if (file.size > MAX_PICTURE_BYTES) throw tooLarge;
  const source = await file.open();
  try {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const piece of source) {
      size += (piece as Buffer).length;
      if (signal.aborted || size > MAX_PICTURE_BYTES) throw tooLarge;
      chunks.push(piece as Buffer);
    }
    return Buffer.concat(chunks);
  } finally {
    source.destroy();
  }
}

/** Returns the fault that one of the added addresses requests. `fail@` only affects that address. */
function findFaultAmong(addresses: readonly string[]) {
  for (const address of addresses) {
    const fault = findFault(address);
    if (fault !== null && fault !== 'fail') return fault;
  }
  return null;
}

export function createGroupCalls(session: Session): GroupCalls {
  const { self, sender, server, context } = session;
  const { workspaceId, instanceId } = sender;
  const { db } = server;

  return {
    async create({ clientId, participants, ...about }, signal) {
      const fault = findFaultAmong(participants);
      const id = toGroupId(instanceId, clientId);
      const created = await atServer(session, signal, async () => {
        if (fault) await rejectTemporarily(session, `group ${id}`, fault);
        const done = await db.transaction().execute(async (tx) => {
          const input = await createGroup(tx, session, { ...about, id, creator: self, participants });
          // The creator learns about the group from the response.
          await insertInboxRows(
            tx,
            workspaceId,
            input.rows.filter((rows) => rows.instanceId !== instanceId),
          );
          return input;
        });
        if (done.rows.length > 1) wakeAll(server);
        return done;
      });
      if (fault) await applyFault(session, fault, created.isNew, signal);
      return { group: await toInfo(session, created.group), participants: created.participants };
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
      const fault = action === 'add' ? findFaultAmong(addresses) : null;
      const { outcomes, isNew } = await atServer(session, signal, async () => {
        if (fault) await rejectTemporarily(session, `${key} ${addresses.join(' ')}`, fault);
        const { result } = await changeGroup(session, getGroupId(key), async (draft, tx) => {
          const accounts = action === 'add' ? await findAccounts(tx, workspaceId, addresses) : new Map();
          const before = draft.members.size;
          const done = addresses.map((address) => ({
            address,
            // The previous action may have removed the actor's admin role.
            error: rules.changeParticipant(draft, rules.getAdmin(draft, self), action, address, accounts),
          }));
          return { outcomes: done, isNew: draft.members.size > before };
        });
        return result;
      });
      if (fault) await applyFault(session, fault, isNew, signal);
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
        if (!asked) throw rejected('invite_invalid', 'This is not a sandbox invitation.');
        const { group } = await changeGroup(session, asked.id, (draft) => {
          if (draft.members.has(self)) return;
          if (asked.invite !== null && asked.invite !== draft.invite)
            throw rejected('invite_invalid', INVITE_ENDED);
          if (asked.invite === null && draft.settings.membersOnly)
            throw rejected('invite_required', 'Joining this group requires an invitation.');
          const account = { instanceId, name: context.name };
          const rejection = rules.addMember(draft, self, new Map([[self, account]]));
          if (rejection) throw rejected(rejection.code, rejection.detail);
        });
        return toInfo(session, group);
      }),

    leave: (key, signal) =>
      atServer(session, signal, async () => {
        const id = getGroupId(key);
        const group = id === null ? undefined : await readGroup(db, workspaceId, id);
        if (!group?.members.has(self)) return;
        await changeGroup(session, id, (draft) => rules.removeMember(draft, self, 'left'));
      }),
  };
}

/**
 * Groups through the Cloud API. The account owns every group that it is in, and people join by the invitation only. Meta
 * confirms changes before they are done, and reports failures by webhooks.
 */
import type { GroupCalls, GroupInfo, GroupParticipant, ParticipantOutcome } from '../contract/connection.ts';
import { DriverError } from '../contract/driver-error.ts';
import type { Signal } from '../contract/signal.ts';
import { currentTime } from '../../platform/time/clock.ts';
import { isGroupId, toUser } from './address.ts';
import type { Graph } from './api.ts';
import { type JsonObject, readNumberField, readObject, readObjects, readText } from './fields.ts';
import { readPerson } from './person.ts';
import type { Media } from './media.ts';

const FIELDS = 'subject,description,participants,total_participant_count';
const PAGE = 1000;
const MAX_GROUPS = 10_000;
const MAX_PICTURE = 5 * 1024 * 1024;
const WHATSAPP = { messaging_product: 'whatsapp' };

const rejected = (code: string, detail: string): DriverError => new DriverError('rejected', code, detail);

/** Returns the error of a rejected call. Throws others. */
const toRejection = (error: unknown): DriverError => {
  if (error instanceof DriverError && error.kind === 'rejected') return error;
  throw error;
};

type GroupSummary = Pick<GroupInfo, 'key' | 'subject'>;

/** Reads the groups that the account is in. @throws DriverError */
export async function readGroups(graph: Graph, signal: AbortSignal): Promise<GroupSummary[]> {
  const found: GroupSummary[] = [];
  let after: string | null = null;
  do {
    const page: JsonObject = await graph.get(
      [graph.phoneNumberId, 'groups'],
      { limit: String(PAGE), ...(after === null ? {} : { after }) },
      signal,
    );
    const groups = readObjects(readObject(page['data'])?.['groups']).flatMap((group) => {
      const key = readText(group['id']);
      return key !== null && isGroupId(key) ? [{ key, subject: readText(group['subject']) ?? '' }] : [];
    });
    found.push(...groups);
    after = groups.length ? readText(readObject(readObject(page['paging'])?.['cursors'])?.['after']) : null;
  } while (after !== null && found.length < MAX_GROUPS);
  return found;
}

export const toGroupSignal = ({ key, subject }: GroupSummary): Signal => ({
  kind: 'group',
  key,
  address: key,
  membership: 'joined',
  about: { subject },
  by: null,
  at: currentTime(),
});

export interface GroupDeps {
  graph: Graph;
  media: Media;
  /** Address of the account. */
  own: string;
  emit(signals: Signal[]): Promise<void>;
  /** Returns the signal of a call. @throws DriverError if the connection is closed */
  within(signal: AbortSignal): AbortSignal;
}

export function createGroupCalls({ graph, media, own, emit, within }: GroupDeps): GroupCalls {
  const get: GroupCalls['get'] = async (key, signal) => {
    const found = await graph.get([key], { fields: FIELDS }, within(signal));
    const subject = readText(found['subject']);
    if (subject === null)
      throw new DriverError('lost', 'invalid_answer', 'WhatsApp: the response is not a group.');
    const others = readObjects(found['participants']).flatMap((one): GroupParticipant[] => {
      const person = readPerson(one, 'participant');
      return person ? [{ address: person.addresses[0], role: 'member' }] : [];
    });
    const count = readNumberField(found['total_participant_count']);
    return {
      key,
      address: key,
      subject,
      description: readText(found['description']),
      participants: [{ address: own, role: 'owner' }, ...others],
      // Some people may be listed without a number.
      isPartial: count !== null && count > others.length,
    };
  };

  /** Removes participants. Someone who is not in the group counts as removed. */
  async function remove(
    key: string,
    addresses: readonly string[],
    signal: AbortSignal,
  ): Promise<ParticipantOutcome[]> {
    const participants = addresses.map((address) => toUser(address));
    const options = { isSafe: true, signal };
    const error = await graph
      .send('DELETE', [key, 'participants'], { ...WHATSAPP, participants }, options)
      .then(() => null, toRejection);
    const left = new Set(error && (await get(key, signal)).participants.map(({ address }) => address));
    return addresses.map((address) => ({
      address,
      error: error && left.has(address) ? { code: error.code, detail: error.message } : null,
    }));
  }

  return {
    get,
    async update(key, { subject, description, picture }, given) {
      const signal = within(given);
      if (picture === null)
        throw rejected('not_supported', 'WhatsApp cannot remove the picture of a group. Set another one.');
      if (picture && picture.mimeType !== 'image/jpeg')
        throw rejected('unsupported_file_type', 'The picture of a group must be a JPEG file on WhatsApp.');
      if (picture && picture.size > MAX_PICTURE)
        throw rejected('too_large', `The picture of a group has at most ${MAX_PICTURE} bytes on WhatsApp.`);
      if (subject !== undefined || description !== undefined) {
        const body = {
          ...WHATSAPP,
          ...(subject === undefined ? {} : { subject }),
          ...(description === undefined ? {} : { description: description ?? '' }),
        };
        await graph.send('POST', [key], body, { isSafe: true, signal });
      }
      if (picture) await media.setPicture(key, picture, signal);
    },
    async changeParticipants(key, action, addresses, given) {
      const signal = within(given);
      if (action !== 'remove') throw rejected('not_supported', `WhatsApp cannot ${action} participants.`);
      return remove(key, addresses, signal);
    },
    async revokeInvite(key, signal) {
      const options = { isSafe: true, signal: within(signal) };
      const answer = await graph.send('POST', [key, 'invite_link'], WHATSAPP, options);
      return readText(answer['invite_link']);
    },
    async leave(key, given) {
      const signal = within(given);
      const error = await graph
        .send('DELETE', [key], null, { isSafe: true, signal })
        .then(() => null, toRejection);
      if (error && (await readGroups(graph, signal)).some((group) => group.key === key)) throw error;
      // The owner cannot leave: the group no longer exists.
      const at = currentTime();
      await emit([{ kind: 'group', key, address: key, membership: 'destroyed', by: own, at }]);
    },
  };
}

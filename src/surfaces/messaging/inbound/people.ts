/** Replaces the addresses that signals name by their roots (same-person.ts). */
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import type { GroupSignal, InboundMessage, SamePersonSignal } from '../../../channels/contract/signal.ts';
import { joinAddresses, type People, type SamePerson, type Step } from '../contacts/same-person.ts';
import { channelKey } from '../records/channel-key.ts';
import type { State, StoredSignal } from './inbound-batch.ts';

const getParticipants = ({ participants }: GroupSignal): readonly { address: string }[] =>
  participants ? ('all' in participants ? participants.all : participants.changed) : [];

/** Returns the addresses of people in a signal. */
function getAddresses(signal: StoredSignal): string[] {
  switch (signal.kind) {
    case 'message': {
      const { chat, from, fromMe } = signal;
      return [...(chat.kind === 'direct' ? [chat.address] : []), ...(fromMe ? [] : [from])];
    }
    case 'reacted':
      return signal.fromMe ? [] : [signal.author];
    case 'group':
      return [...getParticipants(signal).map(({ address }) => address), ...(signal.by ? [signal.by] : [])];
    case 'profile':
    case 'reachability':
      return [signal.address];
    default:
      return [];
  }
}

type Rename = (address: string) => string;

function renameMessage(message: InboundMessage, toRoot: Rename): InboundMessage {
  const { chat, from, fromMe, to } = message;
  const address = chat.kind === 'direct' ? toRoot(chat.address) : chat.address;
  return {
    ...message,
    // The key of a thread is not an address.
    chat: { ...chat, address, key: chat.key === chat.address ? address : chat.key },
    from: fromMe ? from : toRoot(from),
    to: fromMe && to !== null && chat.kind === 'direct' ? toRoot(to) : to,
  };
}

function renameGroup(signal: GroupSignal, toRoot: Rename): GroupSignal {
  const { participants, by } = signal;
  /** The last entry for each address counts. */
  const each = <T extends { address: string }>(list: readonly T[]): T[] => [
    ...new Map(
      list.map((one) => [toRoot(one.address), { ...one, address: toRoot(one.address) }] as const),
    ).values(),
  ];
  return {
    ...signal,
    by: by === null ? null : toRoot(by),
    ...(participants && {
      participants:
        'all' in participants ? { all: each(participants.all) } : { changed: each(participants.changed) },
    }),
  };
}

function toNamed(signal: StoredSignal, toRoot: Rename): StoredSignal {
  switch (signal.kind) {
    case 'message':
      return renameMessage(signal, toRoot);
    case 'reacted':
      // Signals kept until their message is known are found by object identity.
      return signal.fromMe || toRoot(signal.author) === signal.author
        ? signal
        : { ...signal, author: toRoot(signal.author) };
    case 'group':
      return renameGroup(signal, toRoot);
    case 'profile':
    case 'reachability':
      return { ...signal, address: toRoot(signal.address) };
    default:
      return signal;
  }
}

const toKeys = ({ addresses, former, reassignable }: SamePersonSignal): SamePerson => ({
  addresses: addresses.map(channelKey),
  former: former?.map(channelKey),
  ...(reassignable && {
    reassignable: { ...reassignable, addresses: reassignable.addresses.map(channelKey) },
  }),
});

/** Stores which addresses belong to one person. @returns the signals, with one address per person */
export async function resolvePeople(
  unit: Unit,
  { workspaceId, instanceId }: State['holding'],
  signals: readonly StoredSignal[],
): Promise<{ people: People; signals: StoredSignal[] }> {
  const named = signals.map(getAddresses);
  const steps = signals.map((signal, nth): Step => ({
    ...(signal.kind === 'same_person' ? { told: toKeys(signal) } : {}),
    named: named[nth]!.map(channelKey),
  }));
  const people = await joinAddresses(unit, workspaceId, instanceId, steps);
  const renamed = signals.map((signal, nth) => {
    const roots = new Map(named[nth]!.map((one) => [one, people.getRoot(channelKey(one), nth)]));
    /** A root keeps the form that the channel gave. */
    const toRoot: Rename = (address) => {
      const root = roots.get(address);
      return root === undefined || root === channelKey(address) ? address : root;
    };
    return toNamed(signal, toRoot);
  });
  return { people, signals: renamed };
}

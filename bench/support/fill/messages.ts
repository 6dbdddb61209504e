/** Instances, contacts, groups and messages of all kinds; about a fifth of the messages are answers. */
import { seeded } from '../../../test/support/click-load.ts';
import { connectInstance } from '../../../test/support/messaging-worlds.ts';
import { type FillWorld, inLanes, pieces, type Place, portion } from './fill-world.ts';
import { jobDone } from './links.ts';
import type { Filed } from './media.ts';

const AT_ONCE = 500;
const LANES = 2;
/** Of the messages that are sent, those that are answered. */
const ANSWERED = 0.25;
const WORDS = 'order parcel invoice refund hours Monday address thanks question delivery size colour'.split(
  ' ',
);

export interface Instances {
  /** Takes messages and hears no answers. */
  quiet: string;
  /** Its contacts answer. */
  loud: string;
  /** What rules answer from. */
  answering: string;
}

async function makeInstances(place: Place): Promise<Instances> {
  const account = {
    workspace: place.workspace,
    call: async (method: string, path: string, body?: unknown) =>
      new Response(JSON.stringify(await place.api(method, path, body))),
  };
  const connect = (name: string, replies: boolean): Promise<string> =>
    connectInstance(account as never, { name, channel: 'sandbox', settings: { replies } });
  const [quiet, loud] = [await connect('News', false), await connect('Support', true)];
  const answering = await connect('Sales', false);
  const server = { host: '127.0.0.1', port: 9, security: 'none' };
  // Accounts with passwords that are kept sealed; nobody connects them.
  await place.api('POST', '/instances', {
    name: 'Mail',
    channel: 'email',
    settings: { address: 'support@example.com', imap: server, smtp: server },
    credentials: { user: 'support@example.com', password: `secret of ${place.name}` },
  });
  return { quiet, loud, answering };
}

async function makeContacts(place: Place, instance: string, count: number): Promise<void> {
  const lines = Array.from(
    { length: count },
    (_, n) => `person-${n},Person ${n},"{""segment"":""${n % 12}""}"`,
  );
  const { id } = await place.api(
    'POST',
    `/contacts/import?instance_id=${instance}`,
    ['address,name,metadata', ...lines].join('\n'),
  );
  await jobDone(place, id);
}

async function makeGroups(place: Place, instance: string, count: number): Promise<void> {
  for (let n = 0; n < count; n++)
    await place.api('POST', '/groups', {
      instance_id: instance,
      subject: `Team ${n}`,
      description: `What team ${n} talks about`,
      participants: Array.from({ length: 2 + (n % 6) }, (_, at) => ({ address: `person-${n * 7 + at}` })),
    });
}

/** A message as an API call has it. */
function toMessage(n: number, instance: string, to: string, filed: Filed, random: () => number): object {
  const word = (): string => WORDS[Math.floor(random() * WORDS.length)]!;
  const text = Array.from({ length: 3 + Math.floor(random() * 25) }, word).join(' ');
  const base = { instance_id: instance, to };
  const kind = n % 100;
  const file = (ids: readonly string[]): string => ids[n % ids.length]!;
  if (kind === 1)
    return { ...base, type: 'location', location: { latitude: 52.5, longitude: 13.4, name: 'Shop' } };
  if (kind === 2)
    return { ...base, type: 'poll', poll: { question: 'When?', options: ['Today', 'Tomorrow'] } };
  if (kind === 3 && filed.images.length)
    return { ...base, type: 'image', image: { media_id: file(filed.images), caption: text } };
  if (kind === 4 && filed.others.length)
    return { ...base, type: 'document', document: { media_id: file(filed.others) } };
  if (kind === 5)
    return {
      ...base,
      type: 'text',
      text: { body: `See https://shop.example.com/offers/${n} for ${word()}` },
      shorten_links: true,
    };
  const later = new Date(Date.now() + (1 + (n % 200)) * 24 * 3600 * 1000).toISOString();
  return {
    ...base,
    type: 'text',
    text: { body: `${text}, number ${n}` },
    ...(n % 250 === 6 ? { to: `fail@${to}` } : {}),
    ...(n % 250 === 7 ? { scheduled_at: later } : {}),
    ...(n % 20 === 8 ? { metadata: { order: String(n) } } : {}),
  };
}

/** Some that are reacted to, changed, taken back, read; and some that come under a key. */
async function touch({ api }: Place, { quiet, loud }: Instances, count: number): Promise<void> {
  const list = async (query: string): Promise<string[]> =>
    ((await api('GET', `/messages?limit=100&type=text&${query}`)).data as { id: string }[]).map(
      ({ id }) => id,
    );
  const some = Math.min(30, count);
  for (const id of (await list(`instance_id=${loud}&direction=inbound`)).slice(0, some)) {
    await api('PUT', `/messages/${id}/reaction`, { emoji: '👍' });
    await api('POST', `/messages/${id}/read`, {});
  }
  const sent = await list(`instance_id=${quiet}&status=read`);
  for (const id of sent.slice(0, some)) await api('PATCH', `/messages/${id}`, { text: { body: 'Changed' } });
  for (const id of sent.slice(some, 2 * some)) await api('DELETE', `/messages/${id}`);
  const keyed = Array.from({ length: count }, (_, n) => n);
  await inLanes(8, keyed, (n) =>
    api(
      'POST',
      '/messages',
      { instance_id: quiet, to: `person-${n % 50}`, type: 'text', text: { body: `Under a key ${n}` } },
      { 'idempotency-key': `fill-${n}` },
    ),
  );
}

/** What goes on by itself for a while: deliveries that are tried again, and what is for later, are not among it. */
export const MESSAGES_LEFT = `select (select count(*) from send_queue) + (select count(*) from sandbox_inbox)
  + (select count(*) from outbox) + (select count(*) from rule_queue) + (select count(*) from publication_news)
  + (select count(*) from rule_runs where status = 'running')
  + (select count(*) from delivery_queue where attempts = 0)`;

export async function connectInstances(world: FillWorld): Promise<Map<Place, Instances>> {
  const made = new Map<Place, Instances>();
  for (const place of world.places) made.set(place, await makeInstances(place));
  return made;
}

/** @param total of messages, in about: how many are answered, and how often, is the contacts' matter */
export async function fillMessages(
  world: FillWorld,
  made: ReadonlyMap<Place, Instances>,
  files: ReadonlyMap<Place, Filed>,
  total: number,
): Promise<void> {
  for (const place of world.places) {
    const instances = made.get(place)!;
    const random = seeded(world.seed);
    const wanted = portion(total, place);
    const people = Math.max(20, Math.round(wanted / 20));
    await makeContacts(place, instances.quiet, people);
    await makeGroups(place, instances.quiet, Math.max(2, Math.round(wanted / 2_000)));
    const touched = Math.ceil(wanted / 100);
    const sent = Math.round((wanted - touched) / (1 + ANSWERED));
    const bodies = Array.from({ length: sent }, (_, n) =>
      toMessage(
        n,
        n % 4 === 3 ? instances.loud : instances.quiet,
        // Few people write much, many little.
        `person-${Math.floor(people * random() ** 3)}`,
        files.get(place)!,
        random,
      ),
    );
    await inLanes(LANES, pieces(bodies, AT_ONCE), async (messages) => {
      const { results } = await place.api('POST', '/messages/batch', { messages });
      const refused = results.find(({ problem }: { problem: unknown }) => problem);
      if (refused) throw new Error(`a message was refused: ${JSON.stringify(refused)}`);
    });
    await touch(place, instances, touched);
  }
}

/**
 * Calls whose events are written after the answer: by the job that they start, or once the channel has done what they ask
 * for. They are made with two connected accounts of the sandbox.
 */
import { toUuid } from '../../src/core/vocabulary/ids.ts';
import type { ContractWorld } from './contract-world.ts';
import type { Asked } from './operation-states.ts';
import { untilWithin } from './until.ts';

export interface Later extends Asked {
  /** Event types that follow the answer. */
  types: string[];
  /** Public ID of the object that they are about; undefined where the call makes it. */
  about?: string | string[];
}

const until = untilWithin({ withinMs: 120_000, everyMs: 20 });

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into any answer
type Any = any;

let made = 0;
const name = (): string => `later-${++made}`;

export function laterEvents(world: ContractWorld): Record<string, () => Promise<Later>> {
  const { app, key } = world;
  const call = async (path: string, body?: unknown, method?: string): Promise<Any> => {
    const answer = await app.call(path, { key, body, method });
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const post = (path: string): Promise<Any> => call(path, undefined, 'POST');

  const connect = async (account: string): Promise<string> => {
    const { id } = await call('/instances', { name: account, channel: 'sandbox' });
    await post(`/instances/${id}/connect`);
    await until(
      `${account} is connected`,
      async () => (await call(`/instances/${id}`)).state === 'connected',
    );
    return id;
  };
  const accounts = new Map<string, Promise<string>>();
  const connectOnce = (account: string): Promise<string> => {
    const known = accounts.get(account) ?? connect(account);
    accounts.set(account, known);
    return known;
  };
  const anna = () => connectOnce('anna');
  const ended = async (job: { id: string }): Promise<Any> => {
    await until('a job ends', async () => (await call(`/jobs/${job.id}`)).state === 'succeeded');
    return (await call(`/jobs/${job.id}`)).result;
  };

  const send = async (more: object = {}): Promise<string> => {
    await connectOnce('bert');
    const text = { body: 'Hi' };
    const body = { instance_id: await anna(), to: 'bert', type: 'text', text, ...more };
    return (await call('/messages', body)).id;
  };
  const sent = async (): Promise<string> => {
    const id = await send();
    await until('a message is sent', async () => {
      const { status, error } = await call(`/messages/${id}`);
      if (status === 'failed') throw new Error(`the message failed: ${JSON.stringify(error)}`);
      return !['queued', 'sending'].includes(status);
    });
    return id;
  };
  const isDone = (id: string): Promise<void> =>
    until('the channel has done it', async () => (await call(`/messages/${id}`)).pending_action === null);
  /** A group of both. */
  const makeGroup = async (): Promise<string> => {
    await connectOnce('bert');
    const body = { instance_id: await anna(), subject: name(), participants: [{ address: 'bert' }] };
    return (await ended(await call('/groups', body))).group.id;
  };
  const ofMessage =
    (path: string, type: string, body?: object, before?: (id: string) => Promise<unknown>) =>
    async (): Promise<Later> => {
      const id = await sent();
      await before?.(id);
      await isDone(id);
      return { path: `/messages/${id}${path}`, body, types: [type], about: id };
    };
  const ofGroup =
    (path: string, types: string[], body?: object, before?: (id: string) => Promise<unknown>) =>
    async (): Promise<Later> => {
      const id = await makeGroup();
      await before?.(id);
      return { path: `/groups/${id}${path}`, body, types, about: id };
    };
  const reaction = (id: string, instance: string) => ({
    instance_id: instance,
    type: 'reaction',
    reaction: { message_id: id, emoji: '🎉' },
  });
  const tagged = async (): Promise<{ link: string; tag: string }> => {
    const tag = name();
    const { id: link } = await call('/links', { url: 'https://example.com/', tags: [tag] });
    const { data } = await call(`/tags?search=${tag}`);
    return { link, tag: data[0].id };
  };
  const upload = async (text: string): Promise<string> => {
    const form = new FormData();
    form.set('file', new Blob([text], { type: 'text/csv' }), 'lines.csv');
    const headers = { authorization: `Bearer ${key}` };
    const answer = await fetch(`${app.base}/api/v1/media`, { method: 'POST', body: form, headers });
    return ((await answer.json()) as { id: string }).id;
  };
  const endpoint = async (destination: object): Promise<string> => {
    const destinations = [{ instance_id: await anna(), template: 'Hi', ...destination }];
    const schedule = { delay_seconds: 3_600 };
    const body = { name: name(), auth: { type: 'bearer' }, destinations, schedule };
    return (await call('/publishing-endpoints', body)).id;
  };
  const publish = async (id: string): Promise<string> => (await call(`/publish/${id}`, {})).id;
  /** A contact to whom a message with a link was sent. */
  const withLinks = async (
    ...urls: string[]
  ): Promise<{ contact: string; links: string[]; address: string }> => {
    const address = name();
    const links: string[] = [];
    const before = new Set((await call('/links?limit=100')).data.map(({ id }: Any) => id));
    const body = urls.map((url) => `${url}${url.endsWith('=') ? address : ''}`).join(' ');
    const message = await send({ to: address, text: { body }, shorten_links: true });
    for (const { id } of (await call('/links?limit=100')).data) if (!before.has(id)) links.push(id);
    return { contact: (await call(`/messages/${message}`)).contact_id, links, address };
  };

  return {
    'messages.send': async () => {
      const id = await sent();
      return { path: '/messages', body: reaction(id, await anna()), types: ['message.reaction'], about: id };
    },
    'messages.send_batch': async () => {
      const id = await sent();
      const body = { messages: [reaction(id, await anna())] };
      return { path: '/messages/batch', body, types: ['message.reaction'], about: id };
    },
    'messages.delete': ofMessage('', 'message.deleted'),
    'messages.react': ofMessage('/reaction', 'message.reaction', { emoji: '🎉' }),
    'messages.unreact': ofMessage('/reaction', 'message.reaction', undefined, (id) =>
      call(`/messages/${id}/reaction`, { emoji: '🎉' }, 'PUT'),
    ),
    'messages.pin': ofMessage('/pin', 'message.edited'),
    'messages.unpin': ofMessage('/pin', 'message.edited', undefined, (id) =>
      call(`/messages/${id}/pin`, undefined, 'PUT'),
    ),
    'groups.create': async () => {
      await connectOnce('bert');
      const body = { instance_id: await anna(), subject: name(), participants: [{ address: 'bert' }] };
      return { path: '/groups', body, types: ['group.created'] };
    },
    'groups.join': async () => {
      const { url: invite } = await call(`/groups/${await makeGroup()}/invite`);
      const body = { instance_id: await connectOnce('cleo'), invite };
      return { path: '/groups/join', body, types: ['group.joined'] };
    },
    'groups.leave': ofGroup('/leave', ['group.left']),
    'groups.refresh': ofGroup(
      '/refresh',
      ['group.updated', 'group.participants_changed'],
      undefined,
      async (id) => {
        const { pool } = app.database;
        const uuid = toUuid('group', id);
        await pool.query("update groups set subject = 'As it was' where id = $1", [uuid]);
        await pool.query("delete from group_participants where group_id = $1 and address = 'bert'", [uuid]);
      },
    ),
    'groups.revoke_invite': ofGroup('/invite/revoke', ['group.updated']),
    'groups.change_participants': ofGroup('/participants', ['group.participants_changed'], {
      action: 'remove',
      participants: [{ address: 'bert' }],
    }),
    'contacts.delete': async () => {
      const { contact, links, address } = await withLinks('https://example.com/', 'https://example.com/?to=');
      const publication = await publish(await endpoint({ to: address }));
      return {
        path: `/contacts/${contact}`,
        types: ['link.updated', 'link.deleted', 'publication.canceled'],
        about: [...links, publication],
      };
    },
    'contacts.merge': async () => {
      const { contact, links } = await withLinks('https://example.com/');
      const { id } = await call('/contacts', { name: 'Alice' });
      const body = { contact_id: contact };
      return { path: `/contacts/${id}/merge`, body, types: ['link.updated'], about: links };
    },
    'contacts.import': async () => {
      const instance_id = await anna();
      const [known, fresh] = [name(), name()];
      await call('/contacts', { name: 'Known', identities: [{ instance_id, address: known }] });
      const body = { media_id: await upload(`address,name\n${known},Alice\n${fresh},Ben\n`) };
      const path = `/contacts/import?instance_id=${instance_id}`;
      return { path, body, types: ['contact.created', 'contact.updated', 'import.completed'] };
    },
    'links.import': async () => {
      const known = name();
      const url = 'https://example.com/';
      await call('/links', { url, external_id: known });
      const lines = `external_id,url,title\n${known},${url},Spring\n${name()},${url},Summer\n`;
      const body = { media_id: await upload(lines) };
      return { path: '/links/import', body, types: ['link.created', 'link.updated', 'import.completed'] };
    },
    'tags.update': async () => {
      const { link, tag } = await tagged();
      return { path: `/tags/${tag}`, body: { name: name() }, types: ['link.updated'], about: link };
    },
    'tags.delete': async () => {
      const { link, tag } = await tagged();
      return { path: `/tags/${tag}`, types: ['link.updated'], about: link };
    },
    'publishing_endpoints.delete': async () => {
      const id = await endpoint({ to: 'bert' });
      const about = await publish(id);
      return { path: `/publishing-endpoints/${id}`, types: ['publication.canceled'], about };
    },
  };
}

/** Webhooks whose receivers take, refuse and fail; rules that run; endpoints that are posted to. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { publicId } from '../../../src/core/vocabulary/ids.ts';
import { succeeded } from '../../../test/support/account.ts';
import { type FillWorld, inLanes, type Place, portion } from './fill-world.ts';
import type { Instances } from './messages.ts';

const LANES = 16;
/** Kept sealed. */
const WHSEC = `whsec_${Buffer.alloc(32, 'filler').toString('base64')}`;
/** Of the messages' number, how many publications come. */
const PUBLICATIONS = 0.05;

export interface Receiver extends AsyncDisposable {
  url: string;
}

/** Answers `/ok` with 200, `/teapot` with 418, anything else with 500. */
export async function openReceiver(): Promise<Receiver> {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      response.statusCode = request.url === '/ok' ? 200 : request.url === '/teapot' ? 418 : 500;
      response.end('{"heard":true}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Made before what they are told of. */
export async function fillWebhooks(world: FillWorld, receiver: Receiver): Promise<void> {
  for (const { api } of world.places) {
    const { url: inspected } = await api('POST', '/inspectors', { name: 'Looked at' });
    const bodies = [
      {
        url: `${receiver.url}/ok`,
        events: [
          'message.received',
          'message.failed',
          'link.created',
          'link.updated',
          'contact.*',
          'publication.*',
          'group.*',
        ],
        headers: { 'x-api-token': 'a token that is kept sealed' },
        ordering: 'per_resource',
      },
      { url: `${receiver.url}/ok`, events: ['message.delivered'] },
      { url: `${receiver.url}/teapot`, events: ['domain.*', 'webhook.*'] },
      { url: `${receiver.url}/fails`, events: ['instance.*', 'rule.*', 'import.completed'] },
      { url: inspected, events: ['api_key.*', 'instance.*', 'rule.created'], kind: 'slack' },
      { url: `${receiver.url}/ok?off`, events: ['*'], enabled: false },
    ];
    for (const body of bodies) await api('POST', '/webhooks', body);
  }
}

/** Somebody hears of the clicks of one link that is not the most clicked. @param links of each place, most clicked first */
export async function fillClickWebhooks(
  links: ReadonlyMap<Place, string[]>,
  receiver: Receiver,
): Promise<void> {
  for (const [{ api }, ids] of links) {
    const link_id = publicId('link', ids[ids.length >> 3]!);
    const body = { url: `${receiver.url}/ok`, events: ['link.clicked'], filters: { link_id } };
    await api('POST', '/webhooks', body);
  }
}

/** Made before the messages that they answer to. */
export async function fillRules(place: Place, { answering }: Instances, receiver: Receiver): Promise<void> {
  const rate = { limit: 100_000, burst: 100_000 };
  const bodies = [
    {
      name: 'Answer opening hours',
      events: ['message.received'],
      filter: 'event.data.object.text.body contains "hours Monday"',
      actions: [
        {
          type: 'send_message',
          instance_id: answering,
          to: '{{ event.data.object.from }}',
          template: 'We are open from nine to five.',
        },
      ],
      rate_limit: rate,
    },
    {
      name: 'Say what is new',
      events: ['link.created'],
      filter: 'event.data.object.tags contains "support"',
      actions: [
        {
          type: 'ask_model',
          name: 'words',
          model: 'fairlead/echo',
          prompt: 'About {{ event.data.object.title }}',
        },
        {
          type: 'call_webhook',
          url: `${receiver.url}/ok`,
          body: '{"text":"{{ steps.words.text }}"}',
          secret: WHSEC,
        },
      ],
      rate_limit: rate,
    },
    {
      name: 'Asleep',
      events: ['*'],
      enabled: false,
      actions: [{ type: 'ask_model', model: 'fairlead/echo', prompt: 'Hello' }],
    },
  ];
  for (const body of bodies) await place.api('POST', '/rules', body);
}

export async function fillPublications(
  world: FillWorld,
  instances: ReadonlyMap<Place, Instances>,
  messages: number,
): Promise<void> {
  for (const place of world.places) {
    const { quiet } = instances.get(place)!;
    const to = (name: string) => ({ instance_id: quiet, to: name, template: 'New: {{ payload.title }}' });
    const make = (body: object) => place.api('POST', '/publishing-endpoints', body);
    const { url } = await make({
      name: 'Blog',
      auth: { type: 'secret_url' },
      destinations: [to('person-1'), to('person-2')],
      dedupe_key: '{{ payload.id }}',
    });
    const shop = await make({
      name: 'Shop',
      auth: { type: 'bearer' },
      destinations: [to('person-3')],
      filter: 'payload.kind != "noise"',
      shorten_links: true,
    });
    const later = await make({
      name: 'Later',
      auth: { type: 'bearer' },
      destinations: [to('person-4')],
      schedule: { delay_seconds: 30 * 24 * 3600 },
    });
    await make({
      name: 'Repository',
      auth: { type: 'signature', scheme: 'github' },
      destinations: [to('person-5')],
    });
    const count = portion(Math.round(messages * PUBLICATIONS), place);
    await inLanes(LANES, Array.from({ length: count }), async (_, n) => {
      const payload = {
        // Every fiftieth comes twice.
        id: `post-${n % 50 === 49 ? n - 1 : n}`,
        title: `Post ${n}`,
        kind: n % 30 === 0 ? 'noise' : 'news',
        body: 'What it says. '.repeat(1 + (n % 40)),
      };
      if (n % 20 === 1) return place.api('POST', `/publish/${later.id}`, payload);
      if (n % 2) return place.api('POST', `/publish/${shop.id}`, payload);
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(url as string, { method: 'POST', headers, body: JSON.stringify(payload) });
      return (await succeeded(answer)).text();
    });
  }
}

/**
 * Tests the bodies of all kinds: platforms accept them whatever strangers wrote. Also tests all of it over HTTP with a
 * receiver.
 */
import { EVENT_KINDS } from '../../../app/surfaces.ts';
import { createEventTypes } from '../../events/event-type.service.ts';
import { readFile } from 'node:fs/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createTemplatePool } from '../../../platform/templates/template-pool.ts';
import { EVENT_TYPES } from '../../vocabulary/event-catalog.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../../test/support/test-app.ts';
import { isSignedBy } from '../../../platform/crypto/webhook-signature.ts';
import { type Receiver, startReceiver } from '../../../../test/support/webhooks.ts';
import { getConfig } from '../../../../test/support/webhooks/webhook-rows.ts';
import { fitBody } from './fit.ts';
import { defaultTemplate } from './platform-templates.ts';
import { renderBody, getSample, type ShownEvent } from './webhook-body.ts';
import { CHAT_KINDS, type ChatKind } from './webhook-kinds.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into any body
type Body = any;

const templates = createTemplatePool({ registry: new Registry(), log: { error() {} } });
afterAll(() => templates.stop());
const eventTypes = createEventTypes(EVENT_KINDS);

const getBody = async (kind: ChatKind, event: ShownEvent, source?: string): Promise<Body> => {
  const { body, fault } = await renderBody(
    { templates, baseUrl: 'https://fairlead.example' },
    { workspaceId: 'w', workspaceSlug: 'acme' },
    kind,
    source ?? defaultTemplate(eventTypes, kind, event.type as 'ping'),
    event,
  );
  expect(fault).toBeNull();
  return JSON.parse(body!);
};

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
ajv.addFormat('snowflake', /^\d+$/);
const discordSchema = new URL(
  '../../../../test/support/webhooks/kinds/discord-execute-webhook.json',
  import.meta.url,
);
const takenByDiscord = ajv.compile(JSON.parse(await readFile(discordSchema, 'utf8')));

/** https://docs.slack.dev/reference/block-kit/blocks */
function expectTakenBySlack({ text, blocks }: Body): void {
  expect(text).toEqual(expect.any(String));
  expect(blocks.length).toBeLessThanOrEqual(50);
  for (const block of blocks) {
    expect(['section', 'context']).toContain(block.type);
    const texts = [block.text, ...(block.fields ?? []), ...(block.elements ?? [])].filter(Boolean);
    expect(texts.length).toBeGreaterThan(0);
    if (block.fields) expect(block.fields.length).toBeLessThanOrEqual(10);
    for (const one of texts) {
      expect(one.type).toBe('mrkdwn');
      expect(one.text.length).toBeGreaterThan(0);
      expect(one.text.length).toBeLessThanOrEqual(one === block.text ? 3000 : 2000);
    }
  }
}

function expectTakenByDiscord(body: Body): void {
  expect([takenByDiscord(body), takenByDiscord.errors]).toEqual([true, null]);
  const sizes = body.embeds.flatMap((embed: Body) => [
    embed.title,
    embed.description,
    embed.footer.text,
    ...embed.fields.flatMap(({ name, value }: Body) => [name, value]),
  ]);
  expect(sizes.join('').length).toBeLessThanOrEqual(6000);
  for (const { fields } of body.embeds)
    for (const { value } of fields) expect(value.length).toBeGreaterThan(0);
  expect(body.allowed_mentions).toEqual({ parse: [] });
}

/** https://adaptivecards.io/explorer: names and values of the elements that stand in ours. */
const CARD_ELEMENTS: Record<string, Record<string, (value: unknown) => boolean>> = {
  TextBlock: {
    text: (value) => typeof value === 'string',
    weight: (value) => ['Lighter', 'Default', 'Bolder'].includes(value as string),
    size: (value) => ['Small', 'Default', 'Medium', 'Large', 'ExtraLarge'].includes(value as string),
    color: (value) => ['default', 'good', 'attention'].includes(value as string),
    wrap: (value) => typeof value === 'boolean',
    isSubtle: (value) => typeof value === 'boolean',
  },
  FactSet: {
    facts: (value) =>
      (value as Body[]).length > 0 &&
      (value as Body[]).every((fact) => typeof fact.title === 'string' && typeof fact.value === 'string'),
  },
};

function expectTakenByTeams(body: Body): void {
  expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThanOrEqual(28 * 1024);
  expect(body).toMatchObject({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        content: { type: 'AdaptiveCard', version: '1.4', actions: [{ type: 'Action.OpenUrl' }] },
      },
    ],
  });
  const { content } = body.attachments[0];
  expect(URL.canParse(content.actions[0].url)).toBe(true);
  for (const { type, ...members } of content.body)
    for (const [name, value] of Object.entries(members))
      expect(CARD_ELEMENTS[type]?.[name]?.(value), `${type}.${name}`).toBe(true);
}

const TAKEN: Record<ChatKind, (body: Body) => void> = {
  slack: expectTakenBySlack,
  discord: expectTakenByDiscord,
  teams: expectTakenByTeams,
};

const message = (change: object): ShownEvent => {
  const event = structuredClone(getSample(eventTypes, 'message.received')) as Body;
  Object.assign(event.data.object, change);
  return event;
};

describe.each(CHAT_KINDS)('%s', (kind) => {
  it('takes the usual body of every type of event', async () => {
    expect(EVENT_TYPES).toContain('publication.failed');
    for (const type of EVENT_TYPES) TAKEN[kind](await getBody(kind, getSample(eventTypes, type)));
  });

  it('takes what strangers write, which mentions nobody and hides no address', async () => {
    const evil =
      '<!channel> <@U1> @everyone @here [bank.example](https://evil.example) <https://evil.example|bank> "},{" \\ ';
    const body = await getBody(kind, message({ from: evil.repeat(20), text: { body: evil.repeat(400) } }));
    TAKEN[kind](body);
    const all = JSON.stringify(body);
    expect(all).toContain('bank');
    if (kind !== 'discord') expect(all).not.toMatch(/<!channel>|<@U1>|<https:\/\/evil/);
    else expect(body.embeds[0].description).not.toMatch(/(?<!\\)[<>[\]]/);
    if (kind !== 'slack') expect(all).not.toContain('[bank.example]');
    if (kind === 'discord') expect(all).not.toMatch(/@everyone|@here/);
  });

  it('takes an event that says nothing', async () => {
    const silent = { type: 'message.received', created_at: '2026-01-15T09:30:00.000Z', data: { object: {} } };
    expect(getSample(eventTypes, 'message.received').data).not.toEqual(silent.data);
    TAKEN[kind](await getBody(kind, silent));
  });
});

it('cuts what is too long or too much', () => {
  const slack = fitBody(
    'slack',
    JSON.stringify({
      text: 'x',
      blocks: Array.from({ length: 60 }, () => ({
        type: 'section',
        text: { type: 'mrkdwn', text: `${'a'.repeat(2996)}&amp;&amp;` },
      })),
    }),
  );
  const { blocks } = JSON.parse(slack);
  expect(blocks).toHaveLength(50);
  expect(blocks[0].text.text).toBe(`${'a'.repeat(2996)}…`);
  const discord = JSON.parse(
    fitBody(
      'discord',
      JSON.stringify({
        content: '@everyone',
        embeds: [{ fields: Array.from({ length: 30 }, () => ({ name: 'n', value: 'v'.repeat(2000) })) }],
      }),
    ),
  );
  expect(discord.allowed_mentions).toEqual({ parse: [] });
  expect(discord.embeds[0].fields).toHaveLength(25);
  expect(JSON.stringify(discord.embeds).match(/v/g)!.length).toBeLessThan(6025);
  const teams = fitBody(
    'teams',
    JSON.stringify({
      type: 'message',
      attachments: [{ content: { body: [{ type: 'TextBlock', text: 'ü'.repeat(40_000) }] } }],
    }),
  );
  expect(Buffer.byteLength(teams)).toBeLessThanOrEqual(28 * 1024);
  expect(() => fitBody('slack', '[]')).toThrow('must be a JSON object');
});

describe('a webhook', () => {
  let app: TestApp;
  let home: Awaited<ReturnType<typeof startWorkspace>>;
  let receiver: Receiver;
  beforeAll(async () => {
    app = await startTestApp({ EGRESS_ALLOW: '127.0.0.1' });
    home = await startWorkspace(app);
    receiver = await startReceiver();
  });
  afterAll(async () => {
    await app.stop();
    await receiver.close();
  });
  const call = (path: string, body?: unknown, method?: string) =>
    app.call(path, { key: home.key, body, method });
  let count = 0;
  const create = (change: object) =>
    call('/webhooks', { url: `${receiver.url}/${count++}`, events: ['api_key.created'], ...change });
  const makeKey = (name: string) =>
    home.owner.call('/api-keys', { workspace: home.workspace, body: { name, preset: 'links' } });
  const delivery = async (webhookId: string): Promise<Body> => {
    const { body } = await call(`/webhooks/${webhookId}/deliveries`);
    return body.data.length ? (await call(`/deliveries/${body.data[0].id}`)).body : null;
  };
  const soon = { timeout: 120_000, interval: 50 };

  it('has a kind and templates, which are no part of what makes it the same', async () => {
    const events = ['api_key.created'];
    const url = `${receiver.url}/same`;
    const given = { kind: 'slack', templates: { 'api_key.*': '{"text": "{{ event.type }}"}' } };
    const first = await call('/webhooks', { url, events, ...given });
    expect([first.status, first.body]).toEqual([201, expect.objectContaining(given)]);
    const again = await call('/webhooks', { url, events, kind: 'discord' });
    expect([again.status, again.body.id, again.body.kind]).toEqual([200, first.body.id, 'slack']);
    const changed = await call(`/webhooks/${first.body.id}`, { kind: 'teams', templates: {} }, 'PATCH');
    expect(changed.body).toMatchObject({ kind: 'teams', templates: {} });
    await call(`/webhooks/${first.body.id}`, undefined, 'DELETE');
  });

  it('refuses templates that cannot be read or make no JSON, all at once', async () => {
    const bad = {
      'api_key.created': '{"text": "{{ event.type | shout }}"}',
      'link.*': 'New link',
      ping: '{"text": "fine"}',
    };
    const { status, body } = await create({ templates: bad });
    expect([status, body.errors.map(({ pointer, code }: Body) => [pointer, code])]).toEqual([
      422,
      [
        ['/templates/api_key.created', 'template_syntax'],
        ['/templates/link.*', 'template_failed'],
      ],
    ]);
    const unknown = await create({ templates: { 'api_key.creatd': '{}' } });
    expect([unknown.status, unknown.body.errors[0]]).toEqual([
      400,
      {
        pointer: '/templates/api_key.creatd',
        code: 'unknown_event_type',
        detail: 'did you mean api_key.created?',
      },
    ]);
    expect(await create({ templates: { '*': `{"a": "${'x'.repeat(16_384)}"}` } })).toHaveStatus(400);
  });

  it('is sent, signed, what its template makes, and its delivery shows that', async () => {
    const { body: webhook } = await create({
      kind: 'custom',
      templates: { '*': '{"said": "{{ event.data.object.name }}", "in": {{ console_url | json }}}' },
    });
    receiver.received.length = 0;
    await makeKey('Say "hi"');
    await vi.waitFor(() => expect(receiver.received).toHaveLength(1), soon);
    const [{ body, headers }] = receiver.received as [Receiver['received'][0]];
    expect(JSON.parse(body)).toEqual({
      said: 'Say "hi"',
      in: expect.stringMatching(/^http:\/\/localhost:\d+\/user\/api\/w\/[\w-]+\/api-keys$/),
    });
    const signed = {
      id: String(headers['webhook-id']),
      timestamp: String(headers['webhook-timestamp']),
      signature: String(headers['webhook-signature']),
    };
    const { signingKeys } = await getConfig(app, webhook.id);
    expect(isSignedBy(signingKeys, signed, Buffer.from(body))).toBe(true);
    await vi.waitFor(async () => {
      const shown = await delivery(webhook.id);
      expect([shown.status, shown.body, shown.attempts[0].request.body]).toEqual(['succeeded', body, body]);
    }, soon);
    await call(`/webhooks/${webhook.id}`, undefined, 'DELETE');
  });

  it('loses nothing to a template that fails: it is tried again, by the template of then', async () => {
    const source = '{% if event.data.object.name == "odd" %}no JSON{% else %}{"text": "fine"}{% endif %}';
    const { body: webhook } = await create({ kind: 'slack', templates: { 'api_key.created': source } });
    receiver.received.length = 0;
    await makeKey('odd');
    await vi.waitFor(async () => {
      const shown = await delivery(webhook.id);
      expect(shown).toMatchObject({
        status: 'pending',
        body: null,
        body_reason: 'not_rendered',
        last_error: 'template_failed',
        attempts: [{ response: null, error: { code: 'template_failed' }, request: { body: null } }],
      });
    }, soon);
    expect(receiver.received).toHaveLength(0);
    await call(`/webhooks/${webhook.id}`, { templates: {} }, 'PATCH');
    const { id } = await delivery(webhook.id);
    await call(`/deliveries/${id}/retry`, {}, 'POST');
    await vi.waitFor(() => expect(receiver.received).toHaveLength(1), soon);
    expectTakenBySlack(JSON.parse(receiver.received[0]!.body));
    await call(`/webhooks/${webhook.id}`, undefined, 'DELETE');
  });

  it('can be tried before it is there, with a sample or an event', async () => {
    const preview = (body: object) => call('/webhooks/preview', body);
    const sample = await preview({ kind: 'slack', event_type: 'message.received' });
    expect(sample).toHaveStatus(200);
    expectTakenBySlack(JSON.parse(sample.body.body));
    const plain = await preview({ event_type: 'ping' });
    expect(JSON.parse(plain.body.body)).toMatchObject({ type: 'ping', object: 'event' });
    const bad = await preview({ event_type: 'ping', template: '{% for %}' });
    expect(bad.body).toMatchObject({ body: null, error: { code: 'template_syntax' } });
    const [event] = (await call('/events?limit=1')).body.data;
    const real = await preview({ event_id: event.id, template: '{"id": "{{ event.id }}"}' });
    expect(real.body).toMatchObject({
      event_id: event.id,
      event_type: event.type,
      body: `{"id": "${event.id}"}`,
    });
    expect(await preview({})).toHaveStatus(400);
    expect(await preview({ event_type: 'pin' })).toHaveStatus(400);
  });

  it('finds out what kinds there are and what each sends', async () => {
    const { body } = await call('/webhook-kinds');
    expect(body.data.map(({ id, has_templates: has }: Body) => [id, has])).toContainEqual(['slack', true]);
    const slack = await call('/webhook-kinds/slack');
    expect(Object.keys(slack.body.templates)).toEqual(EVENT_TYPES);
    expect(await call('/webhook-kinds/fax')).toHaveStatus(404);
  });
});

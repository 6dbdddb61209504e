/** Operations on groups, against a Graph API that accepts everything; test/conformance validates the requests. */
import { createHash } from 'node:crypto';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { newStore, recordedContext } from '../../../test/conformance/suite/recorded-context.ts';
import { getFile } from '../../../test/conformance/suite/samples.ts';
import { GROUP_ID } from '../../../test/support/channels/whatsapp/description.ts';
import { type GraphApi, startGraphApi } from '../../../test/support/channels/whatsapp/graph-api.ts';
import { allowing } from '../../../test/support/egress.ts';
import { createEgress } from '../../platform/egress/egress.ts';
import type { GroupCalls } from '../contract/connection.ts';
import type { Signal } from '../contract/signal.ts';
import { whatsappDriver } from './whatsapp.driver.ts';

const OWN = '+15550783881';
const GROUP = GROUP_ID;
const NOT_FOUND = { code: 100, message: 'Object does not exist' };
const never = new AbortController().signal;

let api: GraphApi;
let groups: GroupCalls;
let signals: Signal[];

async function open(ingressUrl: string | null = 'https://example.com/in/x'): Promise<void> {
  const egress = createEgress({ allow: allowing('127.0.0.1') });
  const account = {
    workspaceId: 'w',
    instanceId: 'i',
    name: 'Shop',
    settings: { phone_number_id: '1', business_account_id: '2', api_root: api.apiRoot },
    credentials: { access_token: 'EAAtoken', app_secret: 'x', verify_token: 'x' },
    address: OWN,
  };
  const context = { ...recordedContext({ egress }, account, newStore(account)), ingressUrl };
  const connection = await whatsappDriver.open(context);
  groups = connection.groups!;
  signals = context.store.signals;
  onTestFinished(async () => {
    await connection.close();
    await egress.close();
  });
}

beforeEach(async () => {
  api = await startGraphApi(null);
  api.addAccount({ phoneNumberId: '1', businessAccountId: '2', number: OWN.slice(1), token: 'EAAtoken' });
  api.groups.set(GROUP, { subject: 'Trip', description: 'To sea', participants: ['16505551234'] });
  return () => api.stop();
});

const groupSignals = (): Signal[] => signals.filter(({ kind }) => kind === 'group');

test('the groups of the account are told after opening, page by page', async () => {
  api.groups.set('not-a-group', { subject: 'Odd', participants: [] });
  for (let nth = 0; nth < 1001; nth += 1)
    api.groups.set(`${GROUP}${nth}`, { subject: `Group ${nth}`, participants: [] });
  await open();
  const told = groupSignals();
  expect(told).toHaveLength(1002);
  expect(told[0]).toMatchObject({
    key: GROUP,
    address: GROUP,
    membership: 'joined',
    about: { subject: 'Trip' },
  });
  await open(null);
  expect(groupSignals()).toEqual([]);
});

test('an account that cannot have groups connects', async () => {
  for (const code of [200, 131_215, 4]) {
    api.failNext('/groups', 400, { code, message: 'Not available' });
    await open();
    expect(groupSignals()).toEqual([]);
  }
});

test('a group has its owner and those who joined', async () => {
  await open();
  expect(await groups.get(GROUP, never)).toEqual({
    key: GROUP,
    address: GROUP,
    subject: 'Trip',
    description: 'To sea',
    participants: [
      { address: OWN, role: 'owner' },
      { address: '+16505551234', role: 'member' },
    ],
    isPartial: false,
  });
  api.groups.get(GROUP)!.hidden = 1;
  expect(await groups.get(GROUP, never)).toMatchObject({ isPartial: true, participants: [{}, {}] });
  await expect(groups.get(`${GROUP}1`, never)).rejects.toMatchObject({
    kind: 'lost',
    code: 'invalid_answer',
  });
});

test('the subject, description and picture are changed', async () => {
  await open();
  await groups.update(GROUP, { subject: 'Sea', description: null }, never);
  const bytes = Buffer.from('a picture');
  await groups.update(GROUP, { picture: getFile('image', bytes, { mimeType: 'image/jpeg' }) }, never);
  expect(api.groups.get(GROUP)).toMatchObject({
    subject: 'Sea',
    description: '',
    picture: createHash('sha256').update(bytes).digest('hex'),
  });
});

test('a picture that WhatsApp cannot set changes nothing', async () => {
  await open();
  const png = getFile('image', Buffer.from('x'), { mimeType: 'image/png' });
  const large = { ...getFile('image', Buffer.from('x'), { mimeType: 'image/jpeg' }), size: 5_242_881 };
  const before = { ...api.groups.get(GROUP)! };
  for (const [picture, code] of [
    [null, 'not_supported'],
    [png, 'unsupported_file_type'],
    [large, 'too_large'],
  ] as const)
    await expect(groups.update(GROUP, { subject: 'Sea', picture }, never)).rejects.toMatchObject({
      kind: 'rejected',
      code,
    });
  expect(api.groups.get(GROUP)).toEqual(before);
});

test('participants are removed', async () => {
  const people = ['16505551001', '16505551002'];
  api.groups.get(GROUP)!.participants = [...people, '16505551234'];
  await open();
  const addresses = people.map((number) => `+${number}`);
  expect(await groups.changeParticipants(GROUP, 'remove', addresses, never)).toEqual(
    addresses.map((address) => ({ address, error: null })),
  );
  expect(api.groups.get(GROUP)!.participants).toEqual(['16505551234']);
});

test('whoever is already gone is no error, whoever stays is one', async () => {
  await open();
  api.failNext('/participants', 400, { code: 100, message: 'Not removed' });
  expect(await groups.changeParticipants(GROUP, 'remove', ['+16505559999', '+16505551234'], never)).toEqual([
    { address: '+16505559999', error: null },
    {
      address: '+16505551234',
      error: { code: 'invalid_parameter', detail: 'WhatsApp error 100: Not removed' },
    },
  ]);
  api.failNext('/participants', 500, { code: 2, message: 'Try again' });
  await expect(groups.changeParticipants(GROUP, 'remove', ['+16505551234'], never)).rejects.toMatchObject({
    kind: 'busy',
  });
  for (const action of ['add', 'promote', 'demote', 'ban', 'unban'] as const)
    await expect(groups.changeParticipants(GROUP, action, ['+16505551234'], never)).rejects.toMatchObject({
      kind: 'rejected',
      code: 'not_supported',
    });
});

test('the invitation is replaced', async () => {
  await open();
  const first = await groups.revokeInvite!(GROUP, never);
  expect(await groups.revokeInvite!(GROUP, never)).not.toBe(first);
  expect(first).toMatch(/^https:\/\/chat\.whatsapp\.com\//);
});

test('leaving deletes the group; again, it is no error', async () => {
  await open();
  await groups.leave(GROUP, never);
  expect(api.groups.size).toBe(0);
  const destroyed = { kind: 'group', key: GROUP, membership: 'destroyed', by: OWN };
  expect(groupSignals().at(-1)).toMatchObject(destroyed);
  api.failNext(`/${GROUP}`, 400, NOT_FOUND);
  await groups.leave(GROUP, never);
  api.groups.set(GROUP, { subject: 'Trip', participants: [] });
  api.failNext(`/${GROUP}`, 400, NOT_FOUND);
  await expect(groups.leave(GROUP, never)).rejects.toMatchObject({ kind: 'rejected' });
});

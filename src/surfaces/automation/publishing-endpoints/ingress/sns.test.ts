import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  type IngressWorld,
  startIngress,
} from '../../../../../test/support/automation/publishing-endpoints/ingress.ts';
import {
  CERTIFICATE_PATH,
  type FakeSns,
  signMessage,
  startSns,
} from '../../../../../test/support/automation/publishing-endpoints/sns.ts';
import { PATIENCE } from '../../../../../test/support/patience.ts';
import { outcome } from '../../../../../test/support/workspaces.ts';
import { isSnsUrl } from './sns-certificates.ts';

let world: IngressWorld;
let sns: FakeSns;
beforeAll(async () => {
  sns = await startSns();
  world = await startIngress({}, sns.egress);
});
afterAll(async () => {
  await world.app.stop();
  sns.stop();
});

const TOPIC = 'arn:aws:sns:us-east-1:123456789012:orders';
const HOST = 'sns.us-east-1.amazonaws.com';
let made = 0;

const notification = (more: Record<string, string> = {}): Record<string, string> => ({
  Type: 'Notification',
  MessageId: `22b80b92-fdea-4c2c-8f9d-${String(++made).padStart(12, '0')}`,
  TopicArn: TOPIC,
  Subject: 'My First Message',
  Message: 'Hello world!',
  Timestamp: '2012-05-02T00:54:06.655Z',
  ...more,
});

const confirmation = (more: Record<string, string> = {}): Record<string, string> => ({
  Type: 'SubscriptionConfirmation',
  MessageId: '165545c9-2a5c-472c-8df2-7ff2be2b3b1b',
  Token: '2336412f37f',
  TopicArn: TOPIC,
  Message: `You have chosen to subscribe to the topic ${TOPIC}.`,
  SubscribeURL: `https://${HOST}/?Action=ConfirmSubscription&TopicArn=${TOPIC}&Token=2336412f37f`,
  Timestamp: '2012-04-26T20:45:04.751Z',
  ...more,
});

/** Posts as SNS does: JSON as plain text. */
const post = (url: string, message: Record<string, string>) =>
  world.post(url, JSON.stringify(message), {
    'content-type': 'text/plain; charset=UTF-8',
    'x-amz-sns-message-type': message['Type']!,
    'x-amz-sns-topic-arn': TOPIC,
  });

const endpoint = () => world.endpoint({ type: 'secret_url' });
const getJobs = (endpointId: string) =>
  world.rows(
    `select data->>'url' as url, state from pgboss.job
     where name = 'publishing-endpoints.confirm' and data->>'endpointId' = $1`,
    [endpointId],
  );

test('a notification as plain text is an object, and its message too where it is JSON', async () => {
  const { url } = await endpoint();
  const unsigned = await world.post(url, '{"Type":"Notification","Subject":"s","Message":"m"}', {
    'content-type': 'text/plain; charset=UTF-8',
    'x-amz-sns-message-type': 'Notification',
  });
  expect(unsigned.status).toBe(202);
  expect((await world.input(unsigned.body.id)).payload).toEqual({
    Type: 'Notification',
    Subject: 's',
    Message: 'm',
  });
  for (const [text, read] of [
    ['{"order": {"id": 8202522731445525}}', { order: { id: 8202522731445525 } }],
    ['[1]', [1]],
    ['12', '12'],
    ['{"order": ', '{"order": '],
    ['{"a": "\\u0000"}', { a: '\ufffd' }],
  ] as const) {
    const { status, body } = await post(url, signMessage(notification({ Message: text })));
    expect([text, status]).toEqual([text, 202]);
    expect((await world.input(body.id)).payload).toMatchObject({
      Subject: 'My First Message',
      Message: read,
    });
  }
});

test.each(['1', '2'] as const)(
  'a signature of version %s is verified, and a repetition is a duplicate',
  async (version) => {
    const { url } = await endpoint();
    const message = signMessage(notification(), version);
    expect((await post(url, message)).body.status).toBe('received');
    expect((await post(url, message)).body.status).toBe('duplicate');
    expect(outcome(await post(url, { ...message, Message: 'Goodbye' }))).toEqual([401, 'signature_invalid']);
    expect(outcome(await post(url, { ...message, SignatureVersion: version === '1' ? '2' : '1' }))).toEqual([
      401,
      'signature_invalid',
    ]);
    const withoutSubject = notification();
    delete withoutSubject['Subject'];
    expect((await post(url, signMessage(withoutSubject, version))).status).toBe(202);
  },
);

test('the certificate is fetched once, and from no host but one of SNS', async () => {
  const { url } = await endpoint();
  for (const SigningCertURL of [
    `http://${HOST}${CERTIFICATE_PATH}`,
    `https://${HOST}:8443${CERTIFICATE_PATH}`,
    `https://${HOST}.example.com${CERTIFICATE_PATH}`,
    `https://example.com/${HOST}${CERTIFICATE_PATH}`,
    `https://user@${HOST}${CERTIFICATE_PATH}`,
    `https://s3.us-east-1.amazonaws.com${CERTIFICATE_PATH}`,
    `https://${HOST}/other.txt`,
    'no URL',
  ])
    expect(outcome(await post(url, { ...signMessage(notification()), SigningCertURL }))).toEqual([
      401,
      'signature_invalid',
    ]);
  expect((await post(url, signMessage(notification()))).status).toBe(202);
  expect(new Set(sns.fetched.filter((path) => path.endsWith('.pem')))).toEqual(
    new Set([`${HOST}${CERTIFICATE_PATH}`]),
  );
  expect(sns.fetched.filter((path) => path.endsWith('.pem'))).toHaveLength(1);
  expect(
    outcome(await post(url, { ...signMessage(notification()), SigningCertURL: `https://${HOST}/gone.pem` })),
  ).toEqual([401, 'signature_invalid']);
});

test('hosts of China are hosts of SNS too', () => {
  expect(isSnsUrl('https://sns.cn-north-1.amazonaws.com.cn/?Action=ConfirmSubscription')).toBe(true);
  expect(isSnsUrl('https://sns.us-gov-west-1.amazonaws.com/')).toBe(true);
  expect(isSnsUrl('https://sns.us-east-1.amazonaws.com.de/')).toBe(false);
});

test('a signed subscription is confirmed by a job, and nothing is published', async () => {
  const { id, url } = await endpoint();
  const before = sns.fetched.length;
  expect(await post(url, signMessage(confirmation()))).toMatchObject({ status: 200, body: '' });
  const path = `${HOST}/?Action=ConfirmSubscription&TopicArn=${TOPIC}&Token=2336412f37f`;
  await vi.waitFor(
    () => expect(sns.fetched.slice(before).filter((one) => one.includes('Action='))).toEqual([path]),
    PATIENCE,
  );
  expect(await world.count(id)).toBe(0);
  expect((await world.call(`/publishing-endpoints/${id}/samples`)).body.data).toEqual([]);
});

test('a subscription that is not signed, or leads elsewhere, is refused without a call', async () => {
  const { id, url } = await endpoint();
  const before = sns.fetched.length;
  for (const message of [
    confirmation(),
    { ...signMessage(confirmation()), Token: 'another' },
    signMessage(confirmation({ SubscribeURL: 'https://169.254.169.254/latest/meta-data' })),
    signMessage(confirmation({ SubscribeURL: `http://${HOST}/?Action=ConfirmSubscription` })),
  ])
    expect(outcome(await post(url, message))).toEqual([401, 'signature_invalid']);
  expect(await getJobs(id)).toEqual([]);
  expect(sns.fetched.length).toBe(before);
});

test('an end of a subscription is neither published nor undone', async () => {
  const { id, url } = await endpoint();
  const message = signMessage(confirmation({ Type: 'UnsubscribeConfirmation' }));
  expect((await post(url, message)).status).toBe(200);
  expect([await getJobs(id), await world.count(id)]).toEqual([[], 0]);
});

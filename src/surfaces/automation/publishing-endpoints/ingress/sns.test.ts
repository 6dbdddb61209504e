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
import { isConfirmationUrl } from './sns-certificates.ts';

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
  expect(unsigned).toHaveStatus(202);
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
    ['{"__proto__": {"a": 1}}', '{"__proto__": {"a": 1}}'],
    ['[{"__proto__": 1}]', '[{"__proto__": 1}]'],
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
    expect(await post(url, signMessage(withoutSubject, version))).toHaveStatus(202);
    const signed = signMessage(notification(), version);
    const { SignatureVersion: _, ...unversioned } = signed;
    for (const forged of [
      unversioned,
      { ...signed, SignatureVersion: '3' },
      { ...signed, SignatureVersion: 'toString' },
      { ...signed, Signature: '' },
      { ...signed, Type: 'Notification', Subject: `${signed['Subject']}\nTimestamp\n0` },
      // The signature covers no member of another type.
      { ...signMessage(withoutSubject, version), Subject: ['forged'] as unknown as string },
    ])
      expect(outcome(await post(url, forged))).toEqual([401, 'signature_invalid']);
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
    // Buckets of S3 that are named "sns".
    `https://sns.s3-us-west-2.amazonaws.com${CERTIFICATE_PATH}`,
    `https://sns.s3-accelerate.amazonaws.com${CERTIFICATE_PATH}`,
    `https://sns.s3-external-1.amazonaws.com${CERTIFICATE_PATH}`,
    `https://${HOST}@example.com${CERTIFICATE_PATH}`,
    `https://${HOST}/a/..${CERTIFICATE_PATH}/../../x.txt`,
    `https://${HOST}${CERTIFICATE_PATH}%2F`,
    `https://${HOST}${CERTIFICATE_PATH}#x`,
    `https://${HOST}/other.txt`,
    'no URL',
  ])
    expect(outcome(await post(url, { ...signMessage(notification()), SigningCertURL }))).toEqual([
      401,
      'signature_invalid',
    ]);
  expect(await post(url, signMessage(notification()))).toHaveStatus(202);
  expect(new Set(sns.fetched.filter((path) => path.endsWith('.pem')))).toEqual(
    new Set([`${HOST}${CERTIFICATE_PATH}`]),
  );
  expect(sns.fetched.filter((path) => path.endsWith('.pem'))).toHaveLength(1);
  expect(
    outcome(await post(url, { ...signMessage(notification()), SigningCertURL: `https://${HOST}/gone.pem` })),
  ).toEqual([401, 'signature_invalid']);
});

test('what is no certificate is fetched by one address no more often than invalid signatures are taken', async () => {
  const { url } = await endpoint();
  const before = sns.fetched.length;
  const statuses = new Map<number, number>();
  for (let nth = 0; nth < 80; nth++) {
    const SigningCertURL = `https://${HOST}/none-${nth}.pem`;
    const { status } = await post(url, { ...signMessage(notification()), SigningCertURL });
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  expect([...statuses.keys()]).toEqual([401, 429]);
  expect(sns.fetched.length - before).toBe(statuses.get(401));
  // Other endpoints of the same address go on.
  expect(await post((await endpoint()).url, signMessage(notification()))).toHaveStatus(202);
});

test.each([
  ['sns.cn-north-1.amazonaws.com.cn', true],
  ['sns.us-gov-west-1.amazonaws.com', true],
  ['sns.ap-southeast-7.amazonaws.com', true],
  ['sns.il-central-1.amazonaws.com', true],
  ['sns.us-east-1.amazonaws.com.de', false],
  ['sns.s3-website-us-east-1.amazonaws.com', false],
  ['sns.s3-us-gov-west-1.amazonaws.com', false],
  ['sns.amazonaws.com', false],
])('whether %s is a host of SNS: %s', (host, expected) => {
  expect(isConfirmationUrl(`https://${host}/?Action=ConfirmSubscription&Token=x`)).toBe(expected);
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
    signMessage(confirmation({ SubscribeURL: `https://${HOST}/?Action=Unsubscribe` })),
    signMessage(confirmation({ SubscribeURL: `https://${HOST}/?Action=ConfirmSubscription&Action=Publish` })),
    signMessage(confirmation({ SubscribeURL: `https://${HOST}/x?Action=ConfirmSubscription` })),
  ])
    expect(outcome(await post(url, message))).toEqual([401, 'signature_invalid']);
  expect(await getJobs(id)).toEqual([]);
  expect(sns.fetched.length).toBe(before);
});

test('an end of a subscription is neither published nor undone', async () => {
  const { id, url } = await endpoint();
  const message = signMessage(confirmation({ Type: 'UnsubscribeConfirmation' }));
  expect(await post(url, message)).toHaveStatus(200);
  expect([await getJobs(id), await world.count(id)]).toEqual([[], 0]);
});

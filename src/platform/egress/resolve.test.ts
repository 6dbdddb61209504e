import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { EgressError } from '../addresses/egress-error.ts';
import { createResolve, type Resolve } from './resolve.ts';

const A = 1;
const AAAA = 28;

type Answers = (name: string, type: number) => Buffer[] | 'nothing' | 'unknown';

/** A name server that returns the given answers. */
async function startNames(answers: Answers): Promise<{ resolve: Resolve; asked: string[] }> {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (message, from) => {
    let end = 12;
    const labels: string[] = [];
    while (message[end]! > 0) {
      labels.push(message.toString('latin1', end + 1, end + 1 + message[end]!));
      end += 1 + message[end]!;
    }
    const type = message.readUInt16BE(end + 1);
    const name = labels.join('.').toLowerCase();
    asked.push(`${name} ${type}`);
    const found = answers(name, type);
    if (found === 'nothing') return;
    const records = found === 'unknown' ? [] : found;
    const head = Buffer.from(message.subarray(0, 12));
    head.writeUInt16BE(found === 'unknown' ? 0x8183 : 0x8180, 2);
    head.writeUInt16BE(records.length, 6);
    head.writeUInt32BE(0, 8);
    const lines = records.flatMap((data) => [
      Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length]),
      data,
    ]);
    socket.send(Buffer.concat([head, message.subarray(12, end + 5), ...lines]), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  return { resolve: createResolve([`127.0.0.1:${socket.address().port}`]), asked };
}

const four = Buffer.from([8, 8, 8, 8]);
const six = Buffer.from('26064700000000000000000000001111', 'hex');

test('both families are asked, and asked once for all who come at one time', async () => {
  const { resolve, asked } = await startNames((_, type) => [type === A ? four : six]);
  const answers = await Promise.all(Array.from({ length: 5 }, () => resolve('a.example', false)));
  for (const answer of answers) expect(answer.toSorted()).toEqual(['2606:4700::1111', '8.8.8.8']);
  await resolve('a.example', false);
  expect(asked.toSorted()).toEqual([`a.example ${A}`, `a.example ${AAAA}`]);
});

test('a name server that drops AAAA questions holds nothing up', async () => {
  const { resolve, asked } = await startNames((_, type) => (type === A ? [four] : 'nothing'));
  expect(await resolve('a.example', false)).toEqual(['8.8.8.8']);
  // It did not wait until the question is asked again.
  expect(asked.filter((question) => question === `a.example ${AAAA}`)).toHaveLength(1);
});

test('one family is enough, whichever', async () => {
  const { resolve } = await startNames((name, type) =>
    (name === 'six.example') === (type === AAAA) ? [type === A ? four : six] : [],
  );
  expect(await resolve('six.example', false)).toEqual(['2606:4700::1111']);
  expect(await resolve('four.example', false)).toEqual(['8.8.8.8']);
});

test('a name that nobody knows fails, and is asked again the next time', async () => {
  let known = false;
  const { resolve } = await startNames((_, type) => (known ? (type === A ? [four] : []) : 'unknown'));
  await expect(resolve('a.example', false)).rejects.toBeInstanceOf(EgressError);
  known = true;
  expect(await resolve('a.example', false)).toEqual(['8.8.8.8']);
});

test('localhost is this machine, whatever a name server says', async () => {
  const { resolve, asked } = await startNames(() => [four]);
  expect(await resolve('localhost', false)).toEqual(['127.0.0.1', '::1']);
  expect(await resolve('a.localhost', false)).toEqual(['127.0.0.1', '::1']);
  expect(asked).toEqual([]);
});

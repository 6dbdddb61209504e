/** An SMS gateway for the conformance suite, made up for it: JSON requests with a bearer token, callbacks as forms. */
import { randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { smsGatewayDriver } from '../../../../src/channels/sms-gateway/sms-gateway.driver.ts';
import { createEgress } from '../../../../src/platform/egress/egress.ts';
import type { Harness, Peer, TestAccount } from '../../../conformance/suite/harness.ts';
import { allowing } from '../../egress.ts';
import { PATIENCE } from '../../patience.ts';
import { startStoredIngress } from '../stored-ingress.ts';

const TOKEN = 'Bearer gateway-token';
const SECRET = 'a-secret-of-the-callbacks';
const UNKNOWN = '+15550000000';

interface Sms {
  id: string;
  to: string;
  text: string;
  callback: string;
}

const toNumber = (): string => `+1555${randomInt(1_000_000, 9_999_999)}`;

export async function startGatewayHarness(): Promise<Harness & { stop(): Promise<void> }> {
  const sent: Sms[] = [];
  const start = async (port = 0): Promise<Server> => {
    const server = createServer((request, response) => {
      if (request.url === '/silent') return;
      void (async () => {
        const answer = (status: number, body: object): void =>
          void response.writeHead(status, { connection: 'close' }).end(JSON.stringify(body));
        if (request.headers.authorization !== TOKEN) return answer(401, {});
        if (request.url === '/balance') return answer(200, {});
        const { to, content, callback } = (await json(request)) as {
          to: string[];
          content: { text: string };
          callback: string;
        };
        if (to[0] === UNKNOWN) return answer(400, { error: 'no such number' });
        const sms = { id: randomUUID(), to: to[0]!, text: content.text, callback };
        sent.push(sms);
        answer(202, { messages: [{ id: sms.id }] });
      })();
    });
    await once(server.listen(port, '127.0.0.1'), 'listening');
    return server;
  };
  let server = await start();
  const { port } = server.address() as AddressInfo;
  const base = `http://127.0.0.1:${port}`;
  const ingress = await startStoredIngress(smsGatewayDriver);
  const egress = createEgress({ allow: allowing('127.0.0.1'), limits: { keepAliveMs: 10 } });
  const workspaceId = randomUUID();
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };

  const makeAccount = (checkUrl = `${base}/balance`): TestAccount => {
    const from = toNumber();
    return {
      workspaceId,
      instanceId: randomUUID(),
      name: from,
      settings: {
        url: `${base}/send`,
        check_url: checkUrl,
        fields: { to: ['{to}'], content: { text: '{text}' }, callback: '{callback_url}' },
        from,
        message_id: '/messages/0/id',
        inbound: { id: 'sms', from: 'sender', text: 'text' },
        status: { id: 'sms', value: 'state' },
      },
      credentials: { authorization: TOKEN, callback_secret: SECRET },
      address: from,
    };
  };
  const callBack = async (url: string, form: Record<string, string>): Promise<void> => {
    const body = new URLSearchParams(form);
    const { status } = await fetch(url, { method: 'POST', body, headers: { connection: 'close' } });
    if (status !== 200) throw new Error(`the callback was answered with ${status}`);
  };

  const makePeer = async (): Promise<Peer> => {
    const address = toNumber();
    return {
      address,
      chat: { kind: 'direct', key: address, address },
      seen: async () =>
        sent
          .filter(({ to }) => to === address)
          .map(({ id, text }) => ({
            kind: 'message',
            externalId: id,
            type: 'text',
            text,
            file: null,
            data: null,
            replyTo: null,
            mentions: [],
          })),
      sends: ['text'],
      async send(to, { text }) {
        const sms = randomUUID();
        const url = `${ingress.url(to.instanceId)}?secret=${SECRET}`;
        await callBack(url, { sms, sender: address, text: text ?? '' });
        return sms;
      },
      async markDelivered(_to, id) {
        await callBack(sent.find((sms) => sms.id === id)!.callback, { sms: id, state: 'DELIVRD' });
      },
    };
  };

  return {
    driver: {
      ...smsGatewayDriver,
      capabilities: () => smsGatewayDriver.capabilities(makeAccount().settings),
      open: (context) => ingress.open(context),
    },
    egress,
    makeAccount: async () => makeAccount(),
    makePeer,
    refused: (account) => ({
      ...account,
      credentials: { authorization: 'Bearer wrong', callback_secret: SECRET },
    }),
    keptConnection: null,
    makeSlowAccount: async () => makeAccount(`${base}/silent`),
    unknownAddress: UNKNOWN,
    server: {
      stop,
      async start() {
        server = await start(port);
      },
    },
    versions: async () => ({ 'a gateway of the tests': '(not a real one)' }),
    sameAddresses: [['+15551234567', '+1 555-123-4567']],
    badAddresses: ['030 1234567', 'a sender of an SMS'],
    patience: PATIENCE.timeout,
    async stop() {
      await egress.close();
      await stop();
      await ingress[Symbol.asyncDispose]();
    },
  };
}

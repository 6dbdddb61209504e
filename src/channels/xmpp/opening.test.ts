/** Tests when an account counts as connected. */
import { expect, test } from 'vitest';
import { allowing, startEgress } from '../../../test/support/egress.ts';
import { newStore, recordedContext } from '../../../test/conformance/suite/recorded-context.ts';
import { letIn, startScriptedServer } from '../../../test/support/channels/xmpp/scripted-server.ts';
import { xmppDriver } from './xmpp.driver.ts';

test('an account is connected once its server has processed its presence', async () => {
  const order: string[] = [];
  const { port, faults } = await startScriptedServer(async (line) => {
    await letIn(line);
    for (;;) {
      const said = await line.until(/<iq [^>]*>.*?<\/iq>|<presence.*?(?:<\/presence>|\/>)/);
      const isPing = said.includes('urn:xmpp:ping');
      if (said.includes('<presence')) order.push('presence');
      if (isPing) order.push('ping');
      const [, id] = / id="([^"]*)"/.exec(said) ?? [];
      const [, to] = / to="([^"]*)"/.exec(said) ?? [];
      if (id === undefined) continue;
      const error = `<error type='cancel'><service-unavailable xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error>`;
      line.say(
        `<iq type='${isPing ? 'result' : 'error'}' id='${id}'${to ? ` from='${to}'` : ''}>${isPing ? '' : error}</iq>`,
      );
    }
  });
  const settings = { jid: 'ada@bad.test', host: '127.0.0.1', port, security: 'none', plain_password: true };
  const account = {
    workspaceId: 'ws',
    instanceId: 'ins_01h455vb4pex5vsknk084sn02q',
    name: 'Ada',
    settings,
    credentials: { password: 'correct horse' },
    address: 'ada@bad.test',
  };
  const egress = startEgress({ allow: allowing('127.0.0.1') });
  const connection = await xmppDriver.open(recordedContext({ egress }, account, newStore(account)));
  order.push('connected');
  await connection.close();
  expect(order.slice(0, 3)).toEqual(['presence', 'ping', 'connected']);
  expect(faults).toEqual([]);
});

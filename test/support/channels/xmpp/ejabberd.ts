/**
 * ejabberd for tests. Stanzas go from one of its accounts to another and nowhere else.
 *
 *     describe('…', needs(EJABBERD, HAS_EJABBERD), () => { … server = await startEjabberd(); … await server.stop(); });
 */
import { globSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CERTIFICATE, PRIVATE_KEY } from '../../egress.ts';
import { freePort } from '../../free-port.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { ejabberdConfig } from './ejabberd-config.ts';
import { DOMAIN, HOST, getPassword, startXmppServer, type XmppServer } from './xmpp-server.ts';

/** The library that Debian's package installs: `ejabberdctl` would need the system's account and a node name. */
const [LIBRARY] = globSync('/usr/lib/*/ejabberd-*/ebin').map((path) => dirname(dirname(path)));

export const EJABBERD = 'ejabberd (ejabberd)';
export const HAS_EJABBERD = LIBRARY !== undefined;

/** Starts a server that must be running for `addUser`. @throws Error with the log when it isn't ready in time */
export async function startEjabberd(): Promise<XmppServer> {
  if (LIBRARY === undefined) throw new Error('ejabberd is not installed.');
  const folder = await temporaryFolder('fairlead-xmpp-');
  const at = (...path: string[]): string => join(folder.path, ...path);
  const ports = { c2s: await freePort(), c2sTls: await freePort(), https: await freePort() };
  const api = await freePort();
  await mkdir(at('data'));
  await writeFile(at('server.pem'), `${CERTIFICATE.trimStart()}${PRIVATE_KEY.trimStart()}`, { mode: 0o600 });
  await writeFile(at('ejabberd.yml'), ejabberdConfig(folder.path, { ...ports, api }));
  const environment = {
    ERL_LIBS: LIBRARY,
    ERL_CRASH_DUMP_SECONDS: '0',
    HOME: folder.path,
    EJABBERD_CONFIG_PATH: at('ejabberd.yml'),
    EJABBERD_LOG_PATH: at('ejabberd.log'),
    EJABBERD_PID_PATH: at('ejabberd.pid'),
  };

  return startXmppServer({
    name: 'ejabberd',
    folder,
    // Without a node name: no port of Erlang's opens, and no epmd starts.
    command: [
      '/usr/bin/env',
      ...Object.entries(environment).map(([name, value]) => `${name}=${value}`),
      '/usr/bin/erl',
      '-noinput',
      '-mnesia',
      'dir',
      JSON.stringify(at('data')),
      '-s',
      'ejabberd',
    ],
    pidFile: 'ejabberd.pid',
    logFile: 'ejabberd.log',
    ports,
    async addUser(name) {
      const password = getPassword(name);
      const answer = await fetch(`http://${HOST}:${api}/api/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ user: name, host: DOMAIN, password }),
      });
      if (!answer.ok) throw new Error(`ejabberd created no account: ${answer.status} ${await answer.text()}`);
      return { address: `${name}@${DOMAIN}`, password };
    },
  });
}

/**
 * Prosody for tests. Stanzas go from one of its accounts to another and nowhere else.
 *
 *     describe('…', needs(PROSODY, HAS_PROSODY), () => { … prosody = await startProsody(); … await prosody.stop(); });
 */
import { createHash, createHmac, pbkdf2, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CERTIFICATE, PRIVATE_KEY } from '../../egress.ts';
import { freePort } from '../../free-port.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { prosodyConfig } from './prosody-config.ts';
import { DOMAIN, getPassword, startXmppServer, type XmppPorts, type XmppServer } from './xmpp-server.ts';

const PROGRAM = '/usr/bin/prosody';

export const PROSODY = 'Prosody (prosody)';
export const HAS_PROSODY = existsSync(PROGRAM);

/** The fewest that the driver accepts (RFC 7677): each sign-in of a peer or of a driver computes them. */
const ITERATIONS = 4_096;
const derive = promisify(pbkdf2);

/** Starts a server whose `addUser` works while it is stopped, too. @throws Error with the log when it isn't ready in time */
export async function startProsody(): Promise<XmppServer> {
  const folder = await temporaryFolder('fairlead-xmpp-');
  const at = (...path: string[]): string => join(folder.path, ...path);
  const ports: XmppPorts = { c2s: await freePort(), c2sTls: await freePort(), https: await freePort() };
  const accounts = at('data', encoded(DOMAIN), 'accounts');
  await mkdir(accounts, { recursive: true });
  // It looks for more certificates there, and takes it for a fault where that isn't.
  await mkdir(at('certs'));
  await writeFile(at('certificate.pem'), CERTIFICATE.trimStart());
  await writeFile(at('key.pem'), PRIVATE_KEY.trimStart(), { mode: 0o600 });
  await writeFile(at('prosody.cfg.lua'), prosodyConfig(folder.path, ports));

  return startXmppServer({
    name: 'Prosody',
    folder,
    command: [PROGRAM, '-F', '--config', at('prosody.cfg.lua')],
    pidFile: 'prosody.pid',
    logFile: 'prosody.log',
    ports,
    async addUser(name) {
      const password = getPassword(name);
      await writeFile(join(accounts, `${encoded(name)}.dat`), await getAccount(password));
      return { address: `${name}@${DOMAIN}`, password };
    },
  });
}

/** As Prosody names its files. */
const encoded = (name: string): string =>
  Buffer.from(name)
    .toString('latin1')
    .replaceAll(/[^a-zA-Z0-9]/g, (c) => `%${c.charCodeAt(0).toString(16).padStart(2, '0')}`);

/** What SCRAM-SHA-1 needs to know of a password, as Prosody keeps it; prosodyctl takes a fifth of a second for each. */
async function getAccount(password: string): Promise<string> {
  const salt = randomUUID();
  const salted = await derive(password.normalize('NFKC'), salt, ITERATIONS, 20, 'sha1');
  const keyed = (text: string): Buffer => createHmac('sha1', salted).update(text).digest();
  const storedKey = createHash('sha1').update(keyed('Client Key')).digest('hex');
  return `return { stored_key = "${storedKey}", server_key = "${keyed('Server Key').toString('hex')}", salt = "${salt}", iteration_count = ${ITERATIONS} };\n`;
}

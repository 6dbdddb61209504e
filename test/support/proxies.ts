/**
 * The proxies of deploy/ as they are handed out: Debian's own programs on the very files, in front of a Fairlead that
 * runs. What is changed in a file is what an operator sets (names, certificates, nodes), and ports and folders, so that
 * no test needs root or a port below 1024.
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CERTIFICATE, PRIVATE_KEY } from './egress.ts';
import { freePort } from './free-port.ts';
import { type Supervised, supervise } from './supervised.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { ROOT } from './product.ts';

const CADDY = '/usr/bin/caddy';
const NGINX = '/usr/sbin/nginx';
export const HAS_CADDY = existsSync(CADDY);
export const HAS_NGINX = existsSync(NGINX);

const HOST = '127.0.0.1';
const READY_WITHIN_MS = 120_000;
const POLL_MS = 20;

/** The host of BASE_URL. */
export const MAIN = 'fairlead.example.com';
/** A link domain. */
export const LINKS = 'go.example.com';

export interface Proxy {
  httpPort: number;
  httpsPort: number;
  /** What a client must trust. */
  ca: string;
  /** What its certificate is for, where that is none of the names that it serves. */
  certificateName: string | null;
  /** What it wrote into its logs. */
  logs(): Promise<string>;
  stop(): Promise<void>;
}

export interface ProxyOptions {
  /** Where Fairlead's nodes listen, as host:port; the first one is asked about certificates. */
  nodes: string[];
}

/** @throws Error where a text is not there: the file has changed, and the test must follow */
function replaced(text: string, changes: [from: string, to: string][]): string {
  return changes.reduce((before, [from, to]) => {
    if (!before.includes(from)) throw new Error(`deploy/ has no ${JSON.stringify(from)} any more`);
    return before.replaceAll(from, to);
  }, text);
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, HOST, () => resolve(true));
    socket.on('error', () => resolve(false)).on('connect', () => socket.destroy());
  });

async function untilUp(
  running: Supervised,
  checks: (() => Promise<boolean>)[],
  logs: () => Promise<string>,
): Promise<void> {
  const until = performance.now() + READY_WITHIN_MS;
  for (const check of checks)
    while (!(await check())) {
      if (performance.now() > until) {
        await running.kill();
        throw new Error(`the proxy was not ready in time:\n${await logs()}`);
      }
      await delay(POLL_MS);
    }
}

const readIf = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');

/** With a certificate authority of its own, on free ports; the rest by the variables that the file names. */
export async function startCaddy({ nodes }: ProxyOptions, way = 'one_node'): Promise<Proxy> {
  const folder = await temporaryFolder('fairlead-caddy-');
  const at = (...path: string[]): string => join(folder.path, ...path);
  const [httpPort, httpsPort] = [await freePort(), await freePort()];
  const own = [
    `http_port ${httpPort}`,
    `https_port ${httpsPort}`,
    `default_bind ${HOST}`,
    'local_certs',
    'skip_install_trust',
    'admin off',
    `storage file_system ${at('storage')}`,
  ];
  const given = await readFile(join(ROOT, 'deploy/Caddyfile'), 'utf8');
  await writeFile(
    at('Caddyfile'),
    replaced(given, [
      ['\n{\n', `\n{\n${own.join('\n')}\n`],
      ['\tlog {\n', `\tlog {\noutput file ${at('caddy.log')}\n`],
    ]),
  );
  const variables = [
    `FAIRLEAD_HOST=${MAIN}`,
    `FAIRLEAD_NODES=${nodes.join(' ')}`,
    `FAIRLEAD_ASK=${nodes[0]}`,
    `FAIRLEAD_WAY=${way}`,
    `HOME=${folder.path}`,
  ];
  const command = [CADDY, 'run', '--adapter', 'caddyfile', '--config', at('Caddyfile')];
  const running = supervise(['/usr/bin/env', ...variables, ...command, '--pidfile', at('pid')], at('pid'));
  const logs = () => readIf(at('caddy.log'));
  const root = at('storage/pki/authorities/local/root.crt');
  const certificate = at(`storage/certificates/local/${MAIN}/${MAIN}.crt`);
  await untilUp(
    running,
    [
      () => Promise.resolve(existsSync(root) && existsSync(certificate)),
      () => answers(httpsPort),
      () => answers(httpPort),
    ],
    logs,
  );
  return {
    httpPort,
    httpsPort,
    ca: await readFile(root, 'utf8'),
    certificateName: null,
    logs,
    async stop() {
      await running.stop();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** With one certificate for both names, on free ports. */
export async function startNginx({ nodes }: ProxyOptions): Promise<Proxy> {
  const folder = await temporaryFolder('fairlead-nginx-');
  const at = (...path: string[]): string => join(folder.path, ...path);
  const [httpPort, httpsPort] = [await freePort(), await freePort()];
  await mkdir(at('temp'));
  await writeFile(at('certificate.pem'), CERTIFICATE.trimStart());
  await writeFile(at('key.pem'), PRIVATE_KEY.trimStart(), { mode: 0o600 });
  const given = await readFile(join(ROOT, 'deploy/nginx.conf'), 'utf8');
  const live = `/etc/letsencrypt/live/${MAIN}`;
  await writeFile(
    at('fairlead.conf'),
    replaced(given, [
      ['listen [::]:', '# listen [::]:'],
      ['listen 443', `listen ${HOST}:${httpsPort}`],
      ['listen 80', `listen ${HOST}:${httpPort}`],
      [`server_name ${MAIN};`, `server_name ${MAIN} ${LINKS};`],
      [`${live}/fullchain.pem`, at('certificate.pem')],
      [`${live}/privkey.pem`, at('key.pem')],
      [
        'server 127.0.0.1:3000 fail_timeout=10s;',
        nodes.map((node) => `server ${node} fail_timeout=10s;`).join(' '),
      ],
      ['/var/log/nginx/fairlead.log', at('access.log')],
      ['/var/www/acme', at('acme')],
    ]),
  );
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  await writeFile(
    at('nginx.conf'),
    [
      process.getuid!() === 0 ? 'user root;' : '',
      `daemon off; worker_processes 1; pid ${at('pid')}; error_log ${at('error.log')} info;`,
      'events { }',
      'http {',
      ...temporary.map((name) => `${name}_temp_path ${at('temp', name)};`),
      `include ${at('fairlead.conf')};`,
      '}',
    ].join('\n'),
  );
  const running = supervise(
    [NGINX, '-p', folder.path, '-e', at('error.log'), '-c', at('nginx.conf')],
    at('pid'),
  );
  const logs = async () => `${await readIf(at('error.log'))}${await readIf(at('access.log'))}`;
  await untilUp(
    running,
    [() => Promise.resolve(existsSync(at('pid'))), () => answers(httpsPort), () => answers(httpPort)],
    logs,
  );
  return {
    httpPort,
    httpsPort,
    ca: CERTIFICATE,
    certificateName: 'receiver.test',
    logs,
    async stop() {
      await running.stop();
      await folder[Symbol.asyncDispose]();
    },
  };
}

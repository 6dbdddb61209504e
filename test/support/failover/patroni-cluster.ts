/**
 * Three members of PostgreSQL under Patroni, with etcd and HAProxy, on loopback: the files of deploy/high-availability, with
 * other addresses, folders and passwords, and without a watchdog. The programs are Debian's packages patroni, etcd-server, haproxy and postgresql.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../free-port.ts';
import { getTree } from '../processes.ts';
import { ROOT } from '../product.ts';

const PASSWORD = 'a-password-of-this-test';
const READY_WITHIN_MS = 120_000;
const POLL_MS = 100;
export const PROGRAMS = ['/usr/bin/patroni', '/usr/bin/etcd', '/usr/sbin/haproxy'];
export const hasPrograms = (): boolean => PROGRAMS.every((program) => existsSync(program));

interface Member {
  name: string;
  folder: string;
  config: string;
  port: number;
  apiPort: number;
  patroni: ChildProcess;
}

/**
 * How a machine fails: its processes are gone, or they stand still until the watchdog resets the machine. There is no
 * watchdog here, so that a member that stood still is killed before it starts again.
 */
export type Failure = 'kill' | 'freeze';

export interface PatroniCluster extends AsyncDisposable {
  /** Of a database that is empty at first, through HAProxy. */
  url: string;
  /** Queries the primary. */
  query<T>(text: string, values?: unknown[]): Promise<T[]>;
  /** Fails the machine of the primary. @returns its name, and what brings it back */
  fail(failure: Failure): Promise<{ name: string; bringBack(): void }>;
  /** Waits until there is a primary with two streaming members, one of them synchronous. @throws Error after two minutes */
  whole(): Promise<void>;
}

/** Patroni refuses to run as root. */
function getAccount(): { uid: number; gid: number } | object {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

const read = (name: string): string => readFileSync(join(ROOT, 'deploy/high-availability', name), 'utf8');

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const began = performance.now();
  while (!(await isSo().catch(() => false))) {
    if (performance.now() - began > READY_WITHIN_MS) throw new Error(`not in time: ${what}`);
    await delay(POLL_MS);
  }
}

/** @param folder an empty one */
export async function startCluster(folder: string): Promise<PatroniCluster> {
  const account = getAccount();
  const makeFolder = (path: string): string => {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    if ('uid' in account) chownSync(path, account.uid, account.gid);
    return path;
  };
  makeFolder(folder);
  const output = join(folder, 'output');
  const run = (program: string, args: string[]): ChildProcess =>
    spawn('/bin/sh', ['-c', `exec "$@" >>"${output}" 2>&1`, 'sh', program, ...args], {
      ...account,
      cwd: folder,
      stdio: 'ignore',
      env: { PATH: process.env['PATH'], HOME: folder, LANG: 'C.UTF-8' },
    });
  writeFileSync(output, '', { mode: 0o666 });
  if ('uid' in account) chownSync(output, account.uid, account.gid);

  const [etcdPort, peerPort, proxyPort] = [await freePort(), await freePort(), await freePort()];
  const etcdUrl = `http://127.0.0.1:${etcdPort}`;
  const peerUrl = `http://127.0.0.1:${peerPort}`;
  const etcd = run('/usr/bin/etcd', [
    '--name=one',
    `--data-dir=${makeFolder(join(folder, 'etcd'))}`,
    '--logger=zap',
    `--listen-client-urls=${etcdUrl}`,
    `--advertise-client-urls=${etcdUrl}`,
    `--listen-peer-urls=${peerUrl}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=one=${peerUrl}`,
  ]);
  await until('etcd', async () => (await fetch(`${etcdUrl}/health`)).ok);

  const members: Member[] = [];
  const start = (config: string): ChildProcess => run('/usr/bin/patroni', [config]);
  for (const nth of [1, 2, 3]) {
    const name = `db${nth}`;
    const own = makeFolder(join(folder, name));
    const [port, apiPort] = [await freePort(), await freePort()];
    const text = read('patroni.yml')
      .replace('name: db1', `name: ${name}`)
      .replace(/hosts: .*/, `hosts: 127.0.0.1:${etcdPort}`)
      .replaceAll('10.0.0.11:8008', `127.0.0.1:${apiPort}`)
      .replaceAll('10.0.0.11:5432', `127.0.0.1:${port}`)
      .replaceAll('10.0.0.0/24', '127.0.0.1/32')
      .replace('/var/lib/postgresql/15/fairlead', join(own, 'data'))
      .replace('/var/lib/postgresql/fairlead.pgpass', join(own, 'pgpass'))
      .replaceAll(/replace-\w+-password/g, PASSWORD)
      .replace('mode: required', 'mode: "off"')
      .replace('parameters:', `parameters:\n        unix_socket_directories: ${own}`);
    const config = join(own, 'patroni.yml');
    writeFileSync(config, text, { mode: 0o644 });
    members.push({ name, folder: own, config, port, apiPort, patroni: start(config) });
  }
  const config = members.reduce(
    (text, { name, port, apiPort }) =>
      text.replace(new RegExp(`server ${name} .*`), `server ${name} 127.0.0.1:${port} check port ${apiPort}`),
    read('haproxy.cfg').replace(' check port 8008', '').replace('127.0.0.1:5000', `127.0.0.1:${proxyPort}`),
  );
  writeFileSync(join(folder, 'haproxy.cfg'), config, { mode: 0o644 });
  const haproxy = run('/usr/sbin/haproxy', ['-db', '-f', join(folder, 'haproxy.cfg')]);

  const connectionString = (database: string): string =>
    `postgres://postgres:${PASSWORD}@127.0.0.1:${proxyPort}/${database}`;
  const queryIn = async <T>(database: string, text: string, values: unknown[] = []): Promise<T[]> => {
    const client = new pg.Client({
      connectionString: connectionString(database),
      connectionTimeoutMillis: 5_000,
    });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query(text, values)).rows as T[];
    } finally {
      await client.end().catch(() => undefined);
    }
  };
  const getState = async (): Promise<{ name: string; role: string; state: string }[]> => {
    for (const { apiPort } of members) {
      const answer = await fetch(`http://127.0.0.1:${apiPort}/cluster`, {
        signal: AbortSignal.timeout(2_000),
      }).catch(() => null);
      if (answer?.ok) return ((await answer.json()) as { members: [] }).members;
    }
    return [];
  };
  const whole = (): Promise<void> =>
    until('a primary and two members that stream', async () => {
      const rows = await queryIn<{ name: string; sync_state: string }>(
        'postgres',
        `select application_name as name, sync_state from pg_stat_replication where state = 'streaming'`,
      );
      const names = new Set((await getState()).map(({ name }) => name));
      return rows.length === 2 && names.size === 3 && rows.some((row) => row.sync_state === 'sync');
    });
  const getPids = ({ patroni, folder: own }: Member): number[] => {
    const [postmaster = ''] = existsSync(join(own, 'data/postmaster.pid'))
      ? readFileSync(join(own, 'data/postmaster.pid'), 'utf8').split('\n')
      : [];
    return [patroni.pid!, Number(postmaster)].filter(Boolean).flatMap(getTree);
  };
  const signal = (pids: readonly number[], name: NodeJS.Signals): void => {
    for (const pid of pids) {
      try {
        process.kill(pid, name);
      } catch (error) {
        // It ended by itself.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    }
  };

  const end = async (): Promise<void> => {
    for (const member of members) {
      signal(getPids(member), 'SIGCONT');
      signal(getPids(member), 'SIGKILL');
    }
    for (const child of [haproxy, etcd]) child.kill('SIGKILL');
    await delay(POLL_MS);
  };
  try {
    await whole();
    await queryIn('postgres', 'create database fairlead');
  } catch (error) {
    await end();
    throw new Error(`${String(error)}\n${readFileSync(output, 'utf8').slice(-5_000)}`, { cause: error });
  }
  return {
    url: connectionString('fairlead'),
    query: (text, values) => queryIn('fairlead', text, values),
    whole,
    async fail(failure) {
      const leader = (await getState()).find(({ role }) => role === 'leader' || role === 'primary');
      const member = members.find(({ name }) => name === leader?.name);
      if (!member) throw new Error('there is no primary');
      const pids = getPids(member);
      signal(pids, failure === 'kill' ? 'SIGKILL' : 'SIGSTOP');
      return {
        name: member.name,
        bringBack() {
          if (failure === 'freeze') signal(pids, 'SIGKILL');
          member.patroni = start(member.config);
        },
      };
    },
    [Symbol.asyncDispose]: end,
  };
}

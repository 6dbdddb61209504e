/**
 * What the open files of a process are: read from /proc, so Linux alone. Kinds and not paths, so that the numbers of a kind can
 * be followed over time, whatever is in the names.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Ports on this machine by which connections are told apart. */
export interface KnownPorts {
  /** Of the server itself. */
  server: number;
  /** Of the receiver of its deliveries. */
  receiver: number;
}

/** By a socket of Unix the embedded database is reached (and its program held), by one of TCP a server elsewhere. */
export const DATABASE_KINDS = ['Unix sockets', 'other TCP connections'];

/** Kind → how many. */
export type OpenFiles = Record<string, number>;

const LISTENING = '0A';
const getPort = (address: string): number => Number.parseInt(address.slice(address.lastIndexOf(':') + 1), 16);

/** Inode → kind, of all sockets that the process could have. */
function socketKinds(pid: number, { server, receiver }: KnownPorts): Map<string, string> {
  const kinds = new Map<string, string>();
  const toLines = (table: string): string[] =>
    readFileSync(`/proc/${pid}/net/${table}`, 'utf8').trim().split('\n').slice(1);
  for (const table of ['tcp', 'tcp6'])
    for (const line of toLines(table)) {
      const [, local, remote, state, , , , , , inode] = line.trim().split(/\s+/);
      const kind =
        state === LISTENING
          ? 'sockets that listen'
          : getPort(local!) === server
            ? 'connections of callers'
            : getPort(remote!) === receiver
              ? 'connections to the receiver'
              : 'other TCP connections';
      kinds.set(inode!, kind);
    }
  for (const line of toLines('unix')) kinds.set(line.trim().split(/\s+/)[6]!, 'Unix sockets');
  return kinds;
}

function getTarget(pid: number, fd: string): string | null {
  try {
    return readlinkSync(`/proc/${pid}/fd/${fd}`);
  } catch (error) {
    // It was closed since the list was made.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** The open files of a process by kind. @param dataDir whose files are told by their folder there */
export function openFilesFor(pid: number, dataDir: string, ports: KnownPorts): OpenFiles {
  const targets = readdirSync(`/proc/${pid}/fd`).map((fd) => getTarget(pid, fd));
  const sockets = socketKinds(pid, ports);
  const counts: OpenFiles = {};
  for (const target of targets) {
    if (target === null) continue;
    const [, kind, inode] = /^(\w+):\[(\d+)\]$/.exec(target) ?? [];
    const name =
      kind === 'socket'
        ? // One that is not connected, as a dialler's in the midst of it, is in no table.
          (sockets.get(inode!) ?? 'sockets that are not connected')
        : kind !== undefined
          ? `${kind}s`
          : target.startsWith('anon_inode:')
            ? target
            : target.startsWith(`${dataDir}/`)
              ? `files of DATA_DIR/${target.slice(dataDir.length + 1).split('/')[0]}`
              : target.startsWith('/dev/')
                ? target
                : 'other files';
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

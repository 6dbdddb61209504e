/**
 * How the embedded PostgreSQL is set up. All of it stands on the command line, so that it holds for every data
 * folder whatever its own files say. Aims: nothing acknowledged is ever lost; little memory while idle.
 */
import { LOG_LINE_PREFIX } from './postgres-log.ts';
import { PORT } from './socket-folder.ts';

/** Quotes an item of a list setting for any path. */
const quoted = (path: string): string => `"${path.replaceAll('"', '""')}"`;

export interface SettingPaths {
  data: string;
  socketFolder: string;
  rules: string;
  names: string;
  clusterName: string;
}

/** Arguments of the `postgres` program. */
export function serverArguments({ data, socketFolder, rules, names, clusterName }: SettingPaths): string[] {
  const settings: Record<string, string | number> = {
    // Durability
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    wal_level: 'replica', // an online backup needs it

    // Reached by the socket alone
    listen_addresses: '',
    port: PORT,
    unix_socket_directories: quoted(socketFolder),
    unix_socket_permissions: '0700',
    hba_file: rules,
    ident_file: names,
    max_connections: 200,
    client_connection_check_interval: '2s', // a query whose client was killed ends

    // Small while idle: fewer processes, memory that is only taken when used
    shared_buffers: '48MB',
    huge_pages: 'off',
    io_method: 'sync',
    max_wal_senders: 0,
    max_replication_slots: 0,
    max_logical_replication_workers: 0,
    max_worker_processes: 4,
    max_parallel_workers: 2,
    autovacuum_worker_slots: 3,
    autovacuum_max_workers: 3,
    jit: 'off',
    work_mem: '8MB',
    min_wal_size: '32MB',
    max_wal_size: '256MB', // bounds the time that recovery takes after a crash
    random_page_cost: 1.1,

    TimeZone: 'UTC',
    log_timezone: 'UTC',
    lc_messages: 'C',
    cluster_name: clusterName,

    // The log goes to us by standard error. Statements and their values stay out of it.
    log_destination: 'stderr',
    logging_collector: 'off',
    log_line_prefix: LOG_LINE_PREFIX,
    log_min_messages: 'warning',
    log_min_error_statement: 'panic',
    log_statement: 'none',
    log_checkpoints: 'off',
    log_autovacuum_min_duration: -1,
  };
  return ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

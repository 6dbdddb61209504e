/**
 * Dependencies of a serving process: provided by server-process.ts in production, by test/support/test-app.ts in tests.
 */
import type { AttemptKind, Bounds } from '../core/auth/identity/attempts.ts';
import type { FastifyBaseLogger } from 'fastify';
import type pg from 'pg';
import type { Registry } from 'prom-client';
import type { PasswordCost } from '../core/auth/identity/password-hash.ts';
import type { SecretBox } from '../platform/crypto/secret-box.ts';
import type { EgressOptions } from '../platform/egress/egress.ts';
import type { Config } from '../platform/config/config.ts';
import type { ReadDisk } from '../platform/storage/disk-watch.ts';

export interface AppDeps {
  config: Config;
  log: FastifyBaseLogger;
  pool: pg.Pool;
  /** A few connections of its own, so that epoch and sequencer never wait behind requests. */
  controlPool: pg.Pool;
  /** A direct way to the database, for LISTEN. */
  direct: pg.ClientConfig;
  secrets: SecretBox;
  /** Whether this is the only or the first of the processes that were started together. */
  isFirst: boolean;
  /** Returns the metrics of /metrics if several processes add theirs up; defaults to this process's metrics. */
  gatherMetrics?: (registry: Registry) => () => Promise<string>;
  /** For tests: replaces the disk space of the file systems that this process writes to. */
  readDisk?: ReadDisk;
  /** For tests: replaces name resolution, connections, and the certificates that TLS trusts. */
  egress?: Pick<EgressOptions, 'resolve' | 'openSocket' | 'tls'>;
  /** For tests: the cost of new password hashes. */
  passwordCost?: PasswordCost;
  /** Other bounds on guessing than attempts.ts has. For tests. */
  bounds?: Record<AttemptKind, Bounds>;
  /** Whether console and reference are served; their bundles must have been built. */
  pages: boolean;
}

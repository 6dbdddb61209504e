/**
 * Test files that share a process must leave it as they found it. What one leaves behind would make another fail at
 * random, depending on which files happen to run in the same process.
 */
import http from 'node:http';
import https from 'node:https';
import { getCACertificates } from 'node:tls';
import { leftOpen } from './left-open.ts';
import { afterAll, beforeAll, expect, inject, vi } from 'vitest';

const SIGNALS = [
  'SIGTERM',
  'SIGINT',
  'SIGHUP',
  'SIGUSR2',
  'unhandledRejection',
  'uncaughtException',
  'warning',
];

/** Counts different ones: Node.js lists those that are bundled and in NODE_EXTRA_CA_CERTS twice until they are set anew. */
const defaultCertificates = (): number =>
  new Set(getCACertificates('default').map((certificate) => certificate.replaceAll(/\s+/g, ''))).size;

/** Describes everything of the process that a test file could change for others, by name. */
function processState(): Record<string, unknown> {
  return {
    environment: { ...process.env },
    'current folder': process.cwd(),
    listeners: Object.fromEntries(SIGNALS.map((name) => [name, process.listenerCount(name)])),
    'default certificates': defaultCertificates(),
    'exit code': process.exitCode,
    umask: process.umask(),
  };
}

/** Functions that fakes and mocks replace. */
const globals = (): unknown[] => [
  globalThis.fetch,
  globalThis.setTimeout,
  Date,
  Math.random,
  performance.now,
  http.request,
  http.get,
  https.request,
  https.get,
];

declare module 'vitest' {
  interface ProvidedContext {
    /** Set where files share a process; see vitest.config.ts. */
    isShared?: true;
  }
}

/** Stops what the file left open. Fails the file, after its tests, when it left a process that it shares changed. */
export function watchProcess(): void {
  let before: { state: Record<string, unknown>; globals: unknown[] };
  beforeAll(() => {
    before = { state: processState(), globals: globals() };
  });
  afterAll(async () => {
    for (const started of [...leftOpen].toReversed()) await started.stop();
    if (!inject('isShared')) return;
    // vitest restores mocks itself, after this.
    vi.restoreAllMocks();
    expect(vi.isFakeTimers(), 'fake timers are still on; call vi.useRealTimers()').toBe(false);
    expect(processState(), 'the file changed its process; rename it to *.isolated.test.ts').toEqual(
      before.state,
    );
    expect(
      globals().every((one, n) => one === before.globals[n]),
      'the file replaced a global function; rename it to *.isolated.test.ts',
    ).toBe(true);
  });
}

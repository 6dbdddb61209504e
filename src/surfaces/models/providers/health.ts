/**
 * Health of providers by their calls: three failures in a row make a provider failing, the first success makes it active
 * again. Failures are counted in this process; only changes of the state are written.
 */
import type { Units } from '../../../core/unit/unit-of-work.ts';
import type { Log } from '../../../platform/logging/log.ts';
import type { UpstreamError } from '../contract/upstream.ts';
import { changeHealth } from './provider-change.ts';
import { describeFailure } from './provider-request.ts';
import type { ProviderError } from './provider.schema.ts';
import * as store from './provider.store.ts';

const MAX_FAILURES = 3;

export interface ObservedProvider {
  workspaceId: string;
  id: string;
  /** As the call found it. */
  state: 'active' | 'failing';
}

export interface ProviderHealth {
  /** Counts how a call went. Never throws: a state that can't be written is logged. */
  report(provider: ObservedProvider, failure: UpstreamError | { status: number } | null): void;
  /** Waits for states that are being written. */
  stop(): Promise<void>;
}

export function createProviderHealth({
  units,
  log,
  onChange,
}: {
  units: Units;
  /** Called after a state was written. */
  onChange: (workspaceId: string) => void;
  log: Pick<Log, 'warn'>;
}): ProviderHealth {
  const failures = new Map<string, number>();
  const writing = new Map<string, Promise<void>>();

  const write = async ({ workspaceId, id }: ObservedProvider, error: ProviderError | null) => {
    try {
      await units.write(async (unit) => {
        const row = await store.lockProvider(unit.db, workspaceId, id);
        if (row && row.state !== (error === null ? 'active' : 'failing'))
          await changeHealth(unit, row, error);
        unit.afterCommit(() => onChange(workspaceId));
      });
    } catch (err) {
      log.warn({ err, provider: id }, 'models: could not write the state of a provider');
    }
  };
  const writeOnce = (provider: ObservedProvider, error: ProviderError | null): void => {
    if (writing.has(provider.id)) return;
    const done = write(provider, error).finally(() => writing.delete(provider.id));
    writing.set(provider.id, done);
  };

  return {
    report(provider, failure) {
      const { id, state } = provider;
      const isSuccess = failure === null || ('status' in failure && failure.status < 400);
      if (isSuccess) {
        failures.delete(id);
        if (state === 'failing') writeOnce(provider, null);
        return;
      }
      const error = describeFailure(failure);
      if (error === null) return;
      const count = (failures.get(id) ?? 0) + 1;
      if (count < MAX_FAILURES) failures.set(id, count);
      else {
        failures.delete(id);
        if (state === 'active') writeOnce(provider, error);
      }
    },
    async stop() {
      await Promise.all(writing.values());
    },
  };
}

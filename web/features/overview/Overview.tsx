import { useState, Suspense } from 'react';
import { lazily } from '../../patterns/lazily.ts';
import { t } from '../../copy/text.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { FailedList, LoadingList } from '../../patterns/ListStates.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { useStored } from '../../patterns/list/stored.ts';
import { Dashboard } from './Dashboard.tsx';
import { useFirstCall } from './use-first-call.ts';

const Checklist = lazily(() => import('./Checklist.tsx'), 'Checklist');

export function Overview() {
  const { workspace } = useWorkspace();
  const readsKeys = useCan('api_keys:read');
  // Remembered, so that a workspace in use doesn't ask for its API keys each time.
  const [isStarted, setStarted] = useStored(`fairlead.started.${workspace.id}`, false);
  const asks = readsKeys && !isStarted;
  const { query, keys, arrived } = useFirstCall(workspace.id, asks);
  // The checklist stays until the user leaves it, so that they see the call being received.
  const [starting, setStarting] = useState<boolean | null>(null);
  if (starting === null && query.data) {
    setStarting(!arrived);
    if (arrived) setStarted(true);
  }

  if (asks && query.isPending) return <LoadingList />;
  if (asks && query.error && !query.data) {
    return <FailedList error={query.error} retry={() => void query.refetch()} />;
  }
  if (asks && starting) {
    return (
      <>
        <PageHeader
          title={t('Getting started')}
          description={t(
            'Make your first call in four steps. Everything in this console is also available in the API.',
          )}
        />
        <Suspense>
          <Checklist keys={keys} arrived={arrived} onDone={() => setStarted(true)} />
        </Suspense>
      </>
    );
  }
  return <Dashboard />;
}

import { useState } from 'react';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { FailedList, LoadingList } from '../../ui/ListStates.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { Checklist } from './Checklist.tsx';
import { Dashboard } from './Dashboard.tsx';
import { useFirstCall } from './use-first-call.ts';

export function Overview() {
  const { workspace } = useWorkspace();
  const readsKeys = useCan('api_keys:read');
  const { query, keys, arrived } = useFirstCall(workspace.id, readsKeys);
  // The checklist stays until it is left, so that the arrival is seen; who comes later finds it done.
  const [starting, setStarting] = useState<boolean | null>(null);
  if (starting === null && query.data) setStarting(!arrived);

  if (readsKeys && query.isPending) return <LoadingList />;
  if (readsKeys && query.error && !query.data) {
    return <FailedList error={query.error} retry={() => void query.refetch()} />;
  }
  if (readsKeys && starting) {
    return (
      <>
        <PageHeader
          title="Getting started"
          description="Four steps to your first call. Everything here can also be done by the API."
        />
        <Checklist keys={keys} arrived={arrived} onDone={() => setStarting(false)} />
      </>
    );
  }
  return (
    <>
      <PageHeader title="Overview" description={`What happens in ${workspace.name}.`} />
      <Dashboard keys={keys} />
    </>
  );
}

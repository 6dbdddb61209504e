/** The overview of a workspace: whether everything works, and the activity in a range of time. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { failureEventsQuery, recentEventsQuery } from '../../api/events.ts';
import { troubledInstancesQuery } from '../../api/instances.ts';
import { failedRequestsQuery } from '../../api/requests.ts';
import { serverStatusQuery } from '../../api/server-status.ts';
import { deliveryQueueQuery } from '../../api/webhooks.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { PageHeader } from '../../design/PageHeader.tsx';
import { useFromClock } from '../../design/time.ts';
import { currentInterval, getRange, rangeStart } from '../../patterns/activity/activity-range.ts';
import { RangeControl } from '../../patterns/activity/RangeControl.tsx';
import { ActivityTiles } from './ActivityTiles.tsx';
import { NextSteps } from './NextSteps.tsx';
import { findProblems } from './problems.ts';
import { RecentEvents, RecentFailures } from './Recent.tsx';
import { StatusLine } from './StatusLine.tsx';
import classes from './dashboard.module.css';

const route = getRouteApi('/w/$workspace/');

export function Dashboard() {
  const { workspace, scopes } = useWorkspace();
  const can = (scope: string) => scopes.includes(scope);
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const range = getRange(search.range);
  const from = useFromClock((now) => rangeStart(range, currentInterval(range, now)));
  const server = useQuery(serverStatusQuery);
  const queue = useQuery({ ...deliveryQueueQuery(workspace.id), enabled: can('webhooks:read') });
  const instances = useQuery({ ...troubledInstancesQuery(workspace.id), enabled: can('instances:read') });
  const failures = useQuery({ ...failureEventsQuery(workspace.id, from), enabled: can('events:read') });
  const requests = useQuery({ ...failedRequestsQuery(workspace.id, from), enabled: can('audit:read') });
  const events = useQuery({ ...recentEventsQuery(workspace.id), enabled: can('events:read') });
  const isChecking = [queue, instances, failures].some(({ isLoading }) => isLoading);
  const problems = findProblems({
    isStorageFull: server.data?.storage === 'full',
    queue: queue.data,
    instances: instances.data?.data ?? [],
    hasMoreInstances: instances.data?.has_more ?? false,
    failures: failures.data ?? [],
  });
  return (
    <>
      <PageHeader title={t('Overview')} description={t('Activity in {name}', { name: workspace.name })}>
        <RangeControl
          value={search.range}
          onChange={(name) => void navigate({ search: name ? { range: name } : {}, replace: true })}
        />
      </PageHeader>
      <StatusLine problems={isChecking ? undefined : problems} />
      {can('usage:read') && <ActivityTiles range={search.range} />}
      <div className={classes.columns}>
        {(can('audit:read') || can('events:read')) && (
          <RecentFailures requests={requests.data} failures={failures.data} />
        )}
        {can('events:read') && <RecentEvents events={events.data} />}
      </div>
      {can('usage:read') && <NextSteps />}
    </>
  );
}

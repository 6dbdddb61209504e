/** Whether publications of an endpoint failed in the last day, by the newest failures of the event log. */
import { useQuery } from '@tanstack/react-query';
import { failedPublicationsQuery } from '../../api/events.ts';
import type { PublishingEndpoint } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { useFromClock } from '../../design/time.ts';
import { RunHealth } from '../../patterns/RunHealth.tsx';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** @param props.none shown where nothing was published in the last day, or events can't be read. */
export function Health({ endpoint, none }: { endpoint: PublishingEndpoint; none?: React.ReactNode }) {
  const { id, enabled, last_received_at: last } = endpoint;
  const { workspace } = useWorkspace();
  const hour = useFromClock((now) => Math.floor(now / HOUR_MS) * HOUR_MS);
  const { data } = useQuery({
    ...failedPublicationsQuery(workspace.id, new Date(hour - DAY_MS).toISOString()),
    enabled: useCan('events:read'),
  });
  return (
    <RunHealth
      enabled={enabled}
      failedAt={data?.failedAt.get(id) ?? null}
      hasRun={data?.isComplete === true && last !== null && Date.parse(last) >= hour - DAY_MS}
      none={none}
    />
  );
}

/** Whether publications of an endpoint failed in the last day, by the newest failures of the event log. */
import { useQuery } from '@tanstack/react-query';
import { failedPublicationsQuery } from '../../api/events.ts';
import type { PublishingEndpoint } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { rich, t } from '../../copy/text.ts';
import { TextLink } from '../../design/links.tsx';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import { StateDot } from '../../design/StateDot.tsx';
import { useFromClock } from '../../design/time.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Renders nothing where nothing was published in the last day, or events can't be read. */
export function Health({ endpoint: { id, last_received_at: last } }: { endpoint: PublishingEndpoint }) {
  const { workspace } = useWorkspace();
  const hour = useFromClock((now) => Math.floor(now / HOUR_MS) * HOUR_MS);
  const { data } = useQuery({
    ...failedPublicationsQuery(workspace.id, new Date(hour - DAY_MS).toISOString()),
    enabled: useCan('events:read'),
  });
  const failedAt = data?.failedAt.get(id);
  if (failedAt !== undefined)
    return (
      <StateDot tone="bad">
        <TextLink
          to="/w/$workspace/publishing/$id"
          params={{ workspace: workspace.slug, id }}
          search={{ tab: 'runs' }}
        >
          {rich('Failed <time>then</time>', { time: () => <RelativeTime at={failedAt} /> })}
        </TextLink>
      </StateDot>
    );
  if (!data?.isComplete || last === null || Date.parse(last) < hour - DAY_MS) return null;
  return <StateDot tone="good">{t('Healthy')}</StateDot>;
}

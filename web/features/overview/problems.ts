/** Problems of a workspace that need attention. */
import type { LinkProps } from '@tanstack/react-router';
import type { DeliveryQueue, EventObject, Instance } from '../../api/types.ts';
import { plural, t } from '../../copy/text.ts';
import { getQueueAlert } from '../webhooks/queue-alert.ts';

export interface Problem {
  key: string;
  tone: 'bad' | 'warn';
  text: string;
  /** Null where no page of the console helps. */
  link: LinkProps | null;
}

interface Found {
  isStorageFull: boolean;
  queue: DeliveryQueue | undefined;
  /** Those that failed or need an action. */
  instances: readonly Pick<Instance, 'id' | 'name' | 'state'>[];
  /** Whether there are more such instances. */
  hasMoreInstances: boolean;
  /** Events of failures in the range. */
  failures: readonly Pick<EventObject, 'type'>[];
}

const WEBHOOKS = '/w/$workspace/webhooks';

/** Returns the problems, worst first. */
export function findProblems({
  isStorageFull,
  queue,
  instances,
  hasMoreInstances,
  failures,
}: Found): Problem[] {
  const problems: (Problem | false)[] = [
    isStorageFull && {
      key: 'storage',
      tone: 'bad',
      text: t('Storage is full: new data is rejected'),
      link: null,
    },
    ...(queue ? webhookProblems(queue) : []),
    ...instanceProblems(instances, hasMoreInstances),
    ...publishingProblems(failures),
  ];
  return problems
    .filter((problem) => problem !== false)
    .toSorted((a, b) => Number(a.tone === 'warn') - Number(b.tone === 'warn'));
}

function webhookProblems(queue: DeliveryQueue): (Problem | false)[] {
  const alert = getQueueAlert(queue);
  return [
    alert !== null && { key: 'queue', tone: alert.tone, text: alert.title, link: { to: WEBHOOKS } },
    queue.failing_webhooks > 0 && {
      key: 'failing',
      tone: 'bad',
      text: plural(queue.failing_webhooks, {
        one: '{count} webhook is failing',
        other: '{count} webhooks are failing',
      }),
      link: { to: WEBHOOKS, search: { state: 'failing' } },
    },
    queue.degraded_webhooks > 0 && {
      key: 'degraded',
      tone: 'warn',
      text: plural(queue.degraded_webhooks, {
        one: '{count} webhook is degraded',
        other: '{count} webhooks are degraded',
      }),
      link: { to: WEBHOOKS },
    },
  ];
}

function instanceProblems(instances: Found['instances'], hasMore: boolean): (Problem | false)[] {
  return (['failed', 'action_required'] as const).map((state) => {
    const found = instances.filter((instance) => instance.state === state);
    const [first] = found;
    if (!first) return false;
    const isOne = found.length === 1 && !hasMore;
    const name = first.name;
    return {
      key: state,
      tone: state === 'failed' ? 'bad' : 'warn',
      text:
        state === 'failed'
          ? isOne
            ? t("Instance {name} can't connect", { name })
            : t("{count} instances can't connect", { count: `${found.length}${hasMore ? '+' : ''}` })
          : isOne
            ? t('Instance {name} needs an action', { name })
            : t('{count} instances need an action', { count: `${found.length}${hasMore ? '+' : ''}` }),
      link: isOne
        ? { to: '/w/$workspace/instances/$id', params: { id: first.id } }
        : { to: '/w/$workspace/instances', search: { state } },
    };
  });
}

function publishingProblems(failures: Found['failures']): (Problem | false)[] {
  const failed = failures.filter(({ type }) => type === 'publication.failed').length;
  return [
    failed > 0 && {
      key: 'publishing',
      tone: 'warn',
      text: plural(failed, { one: '{count} publication failed', other: '{count} publications failed' }),
      link: { to: '/w/$workspace/publishing', search: { tab: 'runs', status: 'failed' } },
    },
  ];
}

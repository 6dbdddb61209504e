/** One line on webhooks, where there are any: it says that all is well, or what is not. */
import { Link } from '@tanstack/react-router';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { IconArrowRight } from '@tabler/icons-react';
import type { DeliveryQueue } from '../../api/types.ts';
import { deliveryQueueQuery, webhooksQuery } from '../../api/webhooks.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { StateDot } from '../../ui/StateDot.tsx';
import { queueTrouble } from '../webhooks/queue-trouble.ts';
import classes from './dashboard.module.css';

const count = new Intl.NumberFormat('en');

const webhooks = (number: number): string =>
  number === 1 ? '1 webhook' : `${count.format(number)} webhooks`;

function saidOf(queue: DeliveryQueue): [tone: 'good' | 'warn' | 'bad', text: string] {
  const trouble = queueTrouble(queue);
  if (trouble) return [trouble.tone, trouble.title];
  if (queue.failing_webhooks > 0)
    return ['bad', `${webhooks(queue.failing_webhooks)} failing: nothing succeeded since the last failure`];
  const waiting = queue.waiting === 0 ? 'nothing waits' : `${count.format(queue.waiting)} waiting`;
  return ['good', `Webhooks deliver, ${waiting}`];
}

export function WebhookLine() {
  const { workspace } = useWorkspace();
  const { data: some } = useInfiniteQuery(webhooksQuery(workspace.id));
  const any = some !== undefined && some.length > 0;
  const { data: queue } = useQuery({ ...deliveryQueueQuery(workspace.id), enabled: any });
  if (!any || !queue) return null;
  const [tone, said] = saidOf(queue);
  return (
    <Link
      to="/w/$workspace/webhooks"
      params={{ workspace: workspace.slug }}
      search={queue.failing_webhooks > 0 ? { state: 'failing' } : {}}
      className={classes.line}
    >
      <StateDot tone={tone}>{said}</StateDot>
      <IconArrowRight size={16} />
    </Link>
  );
}

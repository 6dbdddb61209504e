/** The message that another one answers, in two lines. */
import { useQuery } from '@tanstack/react-query';
import { messageQuery } from '../../api/messages.ts';
import type { Message } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { personColor } from '../../ui/person-color.ts';
import classes from './bubble.module.css';
import { isOwn, summaryOf } from './chat-text.ts';
import { authorOf, usePeople } from './people.ts';

/** @param known it, where it is loaded already */
export function Quote({ id, known }: { id: string; known: Message | undefined }) {
  const { workspace } = useWorkspace();
  const { data, error } = useQuery({ ...messageQuery(workspace.id, id), enabled: !known });
  const people = usePeople();
  const message = known ?? data;
  const color = people.many && message && !isOwn(message) ? personColor(message.from ?? '') : undefined;
  return (
    <blockquote className={classes.quote} style={{ borderColor: color }}>
      <strong style={{ color }} dir="auto">
        {message ? authorOf(message, people) : '…'}
      </strong>
      <span dir="auto">{message ? summaryOf(message) : error ? 'A message that is gone' : '…'}</span>
    </blockquote>
  );
}

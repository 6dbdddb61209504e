/** Shows the message that another one replies to, in two lines. */
import { useQuery } from '@tanstack/react-query';
import { t } from '../../copy/text.ts';
import { messageQuery } from '../../api/messages.ts';
import type { Message } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { personColor } from '../../design/person-color.ts';
import classes from './bubble.module.css';
import { isOwn, getSummary } from '../messages/message-text.ts';
import { getAuthor, usePeople } from './people.ts';

/** @param known the message, if loaded */
export function Quote({ id, known }: { id: string; known: Message | undefined }) {
  const { workspace } = useWorkspace();
  const { data, error } = useQuery({ ...messageQuery(workspace.id, id), enabled: !known });
  const people = usePeople();
  const message = known ?? data;
  const color = people.many && message && !isOwn(message) ? personColor(message.from ?? '') : undefined;
  return (
    <blockquote className={classes.quote} style={{ borderColor: color }}>
      <strong style={{ color }} dir="auto">
        {message ? getAuthor(message, people) : '…'}
      </strong>
      <span dir="auto">{message ? getSummary(message) : error ? t('Message not available') : '…'}</span>
    </blockquote>
  );
}

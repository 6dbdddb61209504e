/** The message that another one answers, in two lines. */
import { useQuery } from '@tanstack/react-query';
import { messageQuery } from '../../api/messages.ts';
import type { Message } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import classes from './bubble.module.css';
import { authorOf, summaryOf } from './chat-words.ts';

/** @param known it, where it is loaded already */
export function Quote({ id, known }: { id: string; known: Message | undefined }) {
  const { workspace } = useWorkspace();
  const { data, error } = useQuery({ ...messageQuery(workspace.id, id), enabled: !known });
  const message = known ?? data;
  return (
    <blockquote className={classes.quote}>
      <strong>{message ? authorOf(message) : '…'}</strong>
      <span dir="auto">{message ? summaryOf(message) : error ? 'A message that is gone' : '…'}</span>
    </blockquote>
  );
}

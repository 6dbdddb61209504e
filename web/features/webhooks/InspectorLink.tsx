/** Links to the inspector that a webhook posts to, if it posts to one of this workspace. */
import { useQuery } from '@tanstack/react-query';
import { t } from '../../copy/text.ts';
import { inspectorsQuery } from '../../api/inspectors.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { TextLink } from '../../design/links.tsx';
import classes from './webhook.module.css';

export function InspectorLink({ url }: { url: string }) {
  const { workspace } = useWorkspace();
  const maybe = new URL(url).pathname.startsWith('/inspect/');
  const { data } = useQuery({ ...inspectorsQuery(workspace.id), enabled: maybe });
  const inspector = data?.find((one) => one.url === url || url.endsWith(`/inspect/${one.id}`));
  if (!inspector) return null;
  return (
    <TextLink
      to="/w/$workspace/inspector"
      params={{ workspace: workspace.slug }}
      search={{ id: inspector.id }}
      className={classes.inspector}
    >
      {t('View requests')}
    </TextLink>
  );
}

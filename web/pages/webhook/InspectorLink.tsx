/** The way to what arrived, where a webhook posts to an inspector of this workspace. */
import { useQuery } from '@tanstack/react-query';
import { inspectorsQuery } from '../../api/inspectors.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { TextLink } from '../../ui/links.tsx';
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
      See what arrives
    </TextLink>
  );
}

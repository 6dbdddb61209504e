/** What the workspace holds against what it may hold, and the model calls of this month. */
import { useQuery } from '@tanstack/react-query';
import { usageQuery } from '../../api/workspaces.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import classes from './dashboard.module.css';

const NAMES: Record<string, string> = { api_keys: 'API keys', invitations: 'Open invitations' };

const nameOf = (resource: string): string =>
  NAMES[resource] ?? resource.charAt(0).toUpperCase() + resource.slice(1).replaceAll('_', ' ');

const count = new Intl.NumberFormat('en');

export function UsageTiles() {
  const { workspace } = useWorkspace();
  const { data } = useQuery(usageQuery(workspace.id));
  if (!data) return <div className={classes.tiles} />;
  const calls = data.models.reduce((sum, { requests }) => sum + requests, 0);
  const tokens = data.models.reduce((sum, row) => sum + row.prompt_tokens + row.completion_tokens, 0);
  const tiles = [
    ...data.resources.map(({ resource, used, limit }) => ({
      label: nameOf(resource),
      value: used,
      note: limit === null ? '' : `of ${count.format(limit)}`,
    })),
    {
      label: 'Model calls this month',
      value: calls,
      note: tokens > 0 ? `${count.format(tokens)} tokens` : '',
    },
  ];
  return (
    <dl className={classes.tiles}>
      {tiles.map(({ label, value, note }) => (
        <div key={label} className={classes.tile}>
          <dt>{label}</dt>
          <dd>
            {count.format(value)} <span>{note}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}

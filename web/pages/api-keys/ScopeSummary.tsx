/** What a key may do, by resource, so that forty scopes are read at a glance. */
import { Text } from '@mantine/core';
import type { ScopeName } from '../../api/types.ts';
import classes from './api-keys.module.css';
import { scopeGrid } from './scope-groups.ts';

interface ScopeSummaryProps {
  preset: string | null;
  scopes: readonly ScopeName[];
}

export function ScopeSummary({ preset, scopes }: ScopeSummaryProps) {
  const rows = scopeGrid(scopes).flatMap((group) => group.rows);
  const count = scopes.length === 1 ? '1 scope' : `${scopes.length} scopes`;
  return (
    <div>
      <Text>{preset ? `${preset.replace('_', ' ')}, ${count}` : count}</Text>
      <dl className={classes.summary}>
        {rows.map(({ resource, label, read, write, others }) => (
          <div key={resource}>
            <dt>{label}</dt>
            <dd>
              {[read && 'read', write && 'write', ...others.map((scope) => scope.split(':')[1])]
                .filter(Boolean)
                .join(', ')}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

/** Summarizes a key's scopes by resource. */
import { Text } from '@mantine/core';
import type { ScopeName } from '../../api/types.ts';
import classes from './api-keys.module.css';
import { t } from '../../copy/text.ts';
import { getAction, presetName, scopeGrid } from './scope-groups.ts';

interface ScopeSummaryProps {
  preset: string | null;
  scopes: readonly ScopeName[];
}

export function ScopeSummary({ preset, scopes }: ScopeSummaryProps) {
  // Keys of earlier releases may also manage keys, which is worth showing.
  if (preset === 'full' && !scopes.includes('api_keys:write'))
    return <Text>{t('Read and write everything, except managing API keys')}</Text>;
  const rows = scopeGrid(scopes).flatMap((group) => group.rows);
  return (
    <div>
      <Text>{preset ? presetName(preset) : t('Custom scopes')}</Text>
      <dl className={classes.summary}>
        {rows.map(({ resource, label, read, write, others }) => (
          <div key={resource}>
            <dt>{label}</dt>
            <dd>
              {[read && t('Read'), write && t('Write'), ...others.map(getAction)].filter(Boolean).join(', ')}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

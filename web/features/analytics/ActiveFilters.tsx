/** The active filters, each with a button to remove it. */
import { Button, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import atoms from '../../design/atoms.module.css';
import { t } from '../../copy/text.ts';
import { type AnalyticsSearch, type Change, getFilters, withoutFilters } from './analytics-search.ts';
import type { Dimension } from './analytics-params.ts';
import { valueName, DIMENSION_TEXTS } from './dimensions.ts';
import classes from './analytics.module.css';

interface ActiveFiltersProps {
  search: AnalyticsSearch;
  go: (change: Change<AnalyticsSearch>) => void;
}

export function ActiveFilters({ search, go }: ActiveFiltersProps) {
  const filters = Object.entries(getFilters(search)) as [Dimension, string][];
  if (filters.length === 0) return null;
  return (
    <div className={classes.filters} role="group" aria-label={t('Filters')}>
      {filters.map(([name, value]) => (
        <UnstyledButton
          key={name}
          className={classes.filter}
          data-tip={t('Remove filter')}
          onClick={() => go({ [name]: undefined })}
        >
          <span>{DIMENSION_TEXTS[name].one}</span> <bdi className={atoms.cut}>{valueName(name, value)}</bdi>
          <VisuallyHidden>{t('Remove filter')}</VisuallyHidden>
          <IconX size={12} />
        </UnstyledButton>
      ))}
      {filters.length > 1 && (
        <Button size="compact-xs" variant="subtle" color="gray" onClick={() => go(withoutFilters())}>
          {t('Clear filters')}
        </Button>
      )}
    </div>
  );
}

/** Selects scopes in a grid: a row per resource, with read, write and narrower scopes side by side. */
import { Button, Checkbox, Group, Input, Text } from '@mantine/core';
import { Fragment } from 'react';
import { t } from '../../copy/text.ts';
import type { ScopeName } from '../../api/types.ts';
import { getAction, scopeGrid } from './scope-groups.ts';
import classes from './api-keys.module.css';

interface ScopeGridProps {
  /** All scopes, with descriptions. */
  scopes: readonly { id: ScopeName; description: string }[];
  /** Scopes that the user may grant. */
  mine: readonly string[];
  value: readonly ScopeName[];
  onChange: (scopes: ScopeName[]) => void;
  error?: string | undefined;
}

export function ScopeGrid({ scopes, mine, value, onChange, error }: ScopeGridProps) {
  const all = scopes.map(({ id }) => id);
  const descriptions = new Map(scopes.map(({ id, description }) => [id, description]));
  const box = (scope: ScopeName | undefined, label: string) =>
    scope && (
      <Checkbox
        size="xs"
        label={label}
        title={descriptions.get(scope)}
        checked={value.includes(scope)}
        disabled={!mine.includes(scope)}
        aria-label={scope}
        onChange={({ currentTarget: { checked } }) =>
          onChange(
            checked
              ? all.filter((id) => id === scope || value.includes(id))
              : value.filter((id) => id !== scope),
          )
        }
      />
    );
  const readable = all.filter((scope) => scope.endsWith(':read') && mine.includes(scope));
  return (
    <Input.Wrapper error={error} labelElement="div">
      <Group gap="xs" mb={6} justify="space-between">
        <Text size="xs" c="dimmed">
          {t('{count} of {total} scopes selected', { count: value.length, total: all.length })}
        </Text>
        <Group gap={4}>
          <Button size="compact-xs" variant="subtle" onClick={() => onChange(readable)}>
            {t('Select all read scopes')}
          </Button>
          <Button size="compact-xs" variant="subtle" color="gray" onClick={() => onChange([])}>
            {t('Clear')}
          </Button>
        </Group>
      </Group>
      <div className={classes.scopes}>
        {scopeGrid(all).map(({ label, rows }) => (
          <Fragment key={label}>
            <div className={classes.scopeGroup}>{label}</div>
            {rows.map((row) => (
              <div key={row.resource} className={classes.scopeRow} role="group" aria-label={row.label}>
                <span>{row.label}</span>
                <span>{box(row.read, t('Read'))}</span>
                <span>{box(row.write, t('Write'))}</span>
                <span>
                  {row.others.map((scope) => (
                    <Fragment key={scope}>{box(scope, getAction(scope))}</Fragment>
                  ))}
                </span>
              </div>
            ))}
          </Fragment>
        ))}
      </div>
    </Input.Wrapper>
  );
}

/** Which columns a list shows, and its saved views: named searches with their filters. Loaded when it is first opened. */
import {
  ActionIcon,
  Button,
  Checkbox,
  Group,
  Popover,
  Stack,
  Text,
  TextInput,
  UnstyledButton,
} from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { t } from '../../copy/text.ts';
import { cellClass } from '../table/cell-class.ts';
import { type Column, columnLabel } from '../table/column.ts';
import classes from './list.module.css';

export interface SavedView {
  name: string;
  search: Record<string, unknown>;
}

interface ViewMenuProps {
  button: React.ReactElement;
  columns: readonly Column<never>[];
  /** Hides the choice of columns where the window is too narrow for all of them. */
  columnsClass: string | undefined;
  hidden: readonly string[];
  onHidden: (keys: string[]) => void;
  views: readonly SavedView[];
  onViews: (views: SavedView[]) => void;
  /** The filters of now, to be saved; null where nothing is filtered. */
  current: Record<string, unknown> | null;
  onApply: (view: SavedView) => void;
}

export function ViewMenu(props: ViewMenuProps) {
  const { button, columns, columnsClass, hidden, onHidden, views, onViews, current, onApply } = props;
  const [name, setName] = useState('');
  return (
    <Popover position="bottom-end" width={260} shadow="md" trapFocus returnFocus defaultOpened>
      <Popover.Target>{button}</Popover.Target>
      <Popover.Dropdown p="sm" aria-label={t('View')}>
        <Stack gap="sm">
          <Stack gap={6} className={columnsClass} role="group" aria-label={t('Columns')}>
            <Text size="xs" c="dimmed">
              {t('Columns')}
            </Text>
            {columns.map((column) => (
              // A column that the window is too narrow for has no choice either.
              <div key={column.key} className={cellClass(column)}>
                <Checkbox
                  size="xs"
                  label={columnLabel(column)}
                  checked={!hidden.includes(column.key)}
                  onChange={({ currentTarget }) =>
                    onHidden(
                      currentTarget.checked
                        ? hidden.filter((one) => one !== column.key)
                        : [...hidden, column.key],
                    )
                  }
                />
              </div>
            ))}
          </Stack>
          {(views.length > 0 || current) && (
            <Stack gap={4}>
              <Text size="xs" c="dimmed">
                {t('Saved views')}
              </Text>
              {views.map((view) => (
                <Group key={view.name} gap={4} wrap="nowrap" justify="space-between">
                  <UnstyledButton className={classes.option} flex={1} onClick={() => onApply(view)}>
                    {view.name}
                  </UnstyledButton>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    size={24}
                    aria-label={t('Delete view {name}', { name: view.name })}
                    onClick={() => onViews(views.filter((one) => one !== view))}
                  >
                    <IconTrash size={14} />
                  </ActionIcon>
                </Group>
              ))}
              {current && (
                <form
                  onSubmit={(event) => {
                    event.preventDefault();
                    const named = name.trim();
                    if (named === '') return;
                    onViews([
                      ...views.filter((view) => view.name !== named),
                      { name: named, search: current },
                    ]);
                    setName('');
                  }}
                >
                  <Group gap={6} wrap="nowrap">
                    <TextInput
                      size="xs"
                      flex={1}
                      maxLength={40}
                      aria-label={t('Name of the view')}
                      placeholder={t('Save these filters as')}
                      value={name}
                      onChange={({ currentTarget }) => setName(currentTarget.value)}
                    />
                    <Button size="xs" type="submit" variant="default">
                      {t('Save')}
                    </Button>
                  </Group>
                </form>
              )}
            </Stack>
          )}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

/** Selects events by type, by noun (`link.*`), or all of them (`*`), and shows a sample of the focused type. */
import { Checkbox, CloseButton, Input, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconSearch } from '@tabler/icons-react';
import { useId, useState } from 'react';
import atoms from '../../design/atoms.module.css';
import { t } from '../../copy/text.ts';
import { eventTypeQuery } from '../../api/events.ts';
import type { EventType } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { JsonView } from '../../design/JsonView.tsx';
import ui from '../../design/ui.module.css';
import { coversAny, groupTypes, type NounGroup, togglePattern } from './event-patterns.ts';
import classes from './event-picker.module.css';

interface EventPickerProps {
  description: string;
  types: readonly EventType[];
  /** Patterns. */
  value: readonly string[];
  onChange: (patterns: string[]) => void;
  error?: string | undefined;
}

export function EventPicker({ description, types, value, onChange, error }: EventPickerProps) {
  const [search, setSearch] = useState('');
  const [focusedType, setFocusedType] = useState<string>();
  const label = useId();
  const groups = groupTypes(types, search);
  const found = groups.flatMap(({ nouns }) => nouns.flatMap((noun) => noun.types));
  const shown =
    found.find(({ id }) => id === focusedType) ?? found.find(({ id }) => coversAny(value, id)) ?? found[0];
  /** Number of types of each noun. The pattern of a noun is only shown beside all of its types. */
  const sizes = new Map(
    groupTypes(types).flatMap(({ nouns }) =>
      nouns.map(({ noun, types: all }) => [noun, all.length] as const),
    ),
  );
  const { workspace } = useWorkspace();
  const { data: details } = useQuery({
    ...eventTypeQuery(workspace.id, shown?.id ?? ''),
    enabled: shown !== undefined,
  });
  const count = types.filter(({ id }) => coversAny(value, id)).length;
  const box = (pattern: string, covered: boolean, note?: string) => (
    <Checkbox
      size="xs"
      checked={covered || value.includes(pattern)}
      disabled={covered}
      label={
        <>
          <span className={ui.mono}>{pattern}</span>
          {note && <span className={atoms.dimmed}> {note}</span>}
        </>
      }
      aria-label={pattern}
      onChange={({ currentTarget: { checked } }) => onChange(togglePattern(value, pattern, checked))}
    />
  );
  const noun = (group: NounGroup) => {
    const pattern = `${group.noun}.*`;
    const showPattern = group.types.length > 1 && group.types.length === sizes.get(group.noun);
    return (
      <div key={group.noun} role="group" aria-label={group.noun}>
        {showPattern && <div className={classes.noun}>{box(pattern, value.includes('*'), t('all'))}</div>}
        {group.types.map(({ id }) => (
          <div
            key={id}
            className={classes.type}
            data-alone={!showPattern || undefined}
            data-looked={id === shown?.id || undefined}
            onPointerEnter={() => setFocusedType(id)}
            onFocus={() => setFocusedType(id)}
          >
            {box(
              id,
              coversAny(
                value.filter((one) => one !== id),
                id,
              ),
            )}
          </div>
        ))}
      </div>
    );
  };
  return (
    <Input.Wrapper
      label={t('Events')}
      labelElement="div"
      labelProps={{ id: label }}
      description={description}
      required
      error={error}
    >
      <div className={classes.picker} role="group" aria-labelledby={label}>
        <div className={classes.choices}>
          <TextInput
            size="xs"
            variant="unstyled"
            className={classes.search}
            aria-label={t('Search events')}
            placeholder={t('Search events')}
            leftSection={<IconSearch size={14} />}
            value={search}
            onChange={({ currentTarget }) => setSearch(currentTarget.value)}
            onKeyDown={(event) => {
              // Enter in the search field must not submit the form.
              if (event.key === 'Enter') event.preventDefault();
            }}
          />
          <div className={classes.list}>
            {search === '' && <div className={classes.noun}>{box('*', false, t('all events'))}</div>}
            {groups.map(({ surface, nouns }) => (
              <div key={surface}>
                <div className={classes.surface}>{surface}</div>
                {nouns.map(noun)}
              </div>
            ))}
            {groups.length === 0 && (
              <Text c="dimmed" p="sm">
                {t('No matching events.')}
              </Text>
            )}
          </div>
        </div>
        {shown && (
          <div className={classes.sample}>
            <Text className={ui.mono} fw={600}>
              {shown.id}
            </Text>
            <Text size="xs" c="dimmed" mb={6}>
              {shown.description}
            </Text>
            {details && <JsonView value={details.sample} maxHeight={244} />}
          </div>
        )}
      </div>
      <div className={classes.picked}>
        <Text size="xs" c="dimmed" component="span" role="status">
          {t('{count} of {total} event types', { count, total: types.length })}
        </Text>
        {value.map((pattern) => (
          <span key={pattern} className={classes.chip}>
            <span className={ui.mono}>{pattern}</span>
            <CloseButton
              size={16}
              iconSize={11}
              aria-label={t('Remove {pattern}', { pattern })}
              onClick={() => onChange(togglePattern(value, pattern, false))}
            />
          </span>
        ))}
      </div>
    </Input.Wrapper>
  );
}

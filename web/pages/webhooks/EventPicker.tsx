/** Picks what a webhook is told of: single types, all of a noun, or everything; with a sample of the one looked at. */
import { Checkbox, CloseButton, Input, Text, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useId, useState } from 'react';
import type { EventType } from '../../api/types.ts';
import { JsonView } from '../../ui/JsonView.tsx';
import ui from '../../ui/ui.module.css';
import { coversAny, grouped, type NounGroup, toggled } from './event-patterns.ts';
import classes from './event-picker.module.css';

interface EventPickerProps {
  types: readonly EventType[];
  /** Patterns. */
  value: readonly string[];
  onChange: (patterns: string[]) => void;
  error?: string | undefined;
}

export function EventPicker({ types, value, onChange, error }: EventPickerProps) {
  const [search, setSearch] = useState('');
  const [looked, setLooked] = useState<string>();
  const label = useId();
  const shown =
    types.find(({ id }) => id === looked) ?? types.find(({ id }) => coversAny(value, id)) ?? types[0];
  const groups = grouped(types, search);
  const count = types.filter(({ id }) => coversAny(value, id)).length;
  const box = (pattern: string, covered: boolean, note?: string) => (
    <Checkbox
      size="xs"
      checked={covered || value.includes(pattern)}
      disabled={covered}
      label={
        <>
          <span className={ui.mono}>{pattern}</span>
          {note && <span className={classes.note}> {note}</span>}
        </>
      }
      aria-label={pattern}
      onChange={({ currentTarget: { checked } }) => onChange(toggled(value, pattern, checked))}
    />
  );
  const noun = (group: NounGroup) => {
    const pattern = `${group.noun}.*`;
    const several = group.types.length > 1 && search === '';
    return (
      <div key={group.noun} role="group" aria-label={group.noun}>
        {several && <div className={classes.noun}>{box(pattern, value.includes('*'), 'all of them')}</div>}
        {group.types.map(({ id }) => (
          <div
            key={id}
            className={classes.type}
            data-alone={!several || undefined}
            data-looked={id === shown?.id || undefined}
            onPointerEnter={() => setLooked(id)}
            onFocus={() => setLooked(id)}
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
      label="Events"
      labelElement="div"
      labelProps={{ id: label }}
      description="What it is told of. A pattern also takes in types that are added later."
      required
      error={error}
    >
      <div className={classes.picker} role="group" aria-labelledby={label}>
        <div className={classes.choices}>
          <TextInput
            size="xs"
            variant="unstyled"
            className={classes.search}
            aria-label="Search events"
            placeholder="Search events"
            leftSection={<IconSearch size={14} />}
            value={search}
            onChange={({ currentTarget }) => setSearch(currentTarget.value)}
            onKeyDown={(event) => {
              // Return in a search looks for something; it doesn't send the form.
              if (event.key === 'Enter') event.preventDefault();
            }}
          />
          <div className={classes.list}>
            {search === '' && <div className={classes.noun}>{box('*', false, 'everything')}</div>}
            {groups.map(({ surface, nouns }) => (
              <div key={surface}>
                <div className={classes.surface}>{surface}</div>
                {nouns.map(noun)}
              </div>
            ))}
            {groups.length === 0 && (
              <Text c="dimmed" p="sm">
                No event has these words.
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
            <JsonView value={shown.sample} maxHeight={244} />
          </div>
        )}
      </div>
      <div className={classes.picked}>
        <Text size="xs" c="dimmed" component="span" role="status">
          {count} of {types.length} types
        </Text>
        {value.map((pattern) => (
          <span key={pattern} className={classes.chip}>
            <span className={ui.mono}>{pattern}</span>
            <CloseButton
              size={16}
              iconSize={11}
              aria-label={`Leave out ${pattern}`}
              onClick={() => onChange(toggled(value, pattern, false))}
            />
          </span>
        ))}
      </div>
    </Input.Wrapper>
  );
}

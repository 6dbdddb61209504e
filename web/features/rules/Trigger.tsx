/** The trigger of a rule: event types and a filter. */
import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconBolt } from '@tabler/icons-react';
import { useState } from 'react';
import atoms from '../../design/atoms.module.css';
import { plural, t } from '../../copy/text.ts';
import { storedEventTypesQuery } from '../../api/events.ts';
import type { Fault } from '../../api/problem.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { lazyDialog } from '../../patterns/lazy-dialogs.tsx';
import ui from '../../design/ui.module.css';
import classes from '../../patterns/workbench/workbench.module.css';
import { TemplateField } from '../../patterns/workbench/TemplateField.tsx';
import { getMessage } from '../publishing/use-editor.ts';
import type { RuleEditor } from './use-rule-editor.ts';

const EventsDialog = lazyDialog(() => import('./EventsDialog.tsx'), 'EventsDialog');

export function Trigger({ editor, faults }: { editor: RuleEditor; faults: readonly Fault[] }) {
  const { workspace } = useWorkspace();
  const { data: types = [] } = useQuery(storedEventTypesQuery(workspace.id));
  const [picking, setPicking] = useState(false);
  const { events, filter } = editor.form;
  const eventsError = getMessage(faults, '/events');
  return (
    <div className={classes.card} role="group" aria-label={t('Trigger')}>
      <div className={classes.cardHead}>
        <IconBolt size={16} stroke={1.75} aria-hidden />
        <strong>{t('Trigger')}</strong>
        <Button size="compact-xs" variant="default" onClick={() => setPicking(true)}>
          {events.length === 0 ? t('Choose events') : t('Edit')}
        </Button>
      </div>
      {events.length === 0 ? (
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={() => editor.set('events', ['message.received'])}>
            {t('Message received')}
          </Button>
          <Text size="xs" c="dimmed">
            {plural(types.length, {
              one: 'or choose from {count} event type',
              other: 'or choose from {count} event types',
            })}
          </Text>
        </Group>
      ) : (
        <Text className={`${ui.mono} ${atoms.breaks}`}>{events.join(', ')}</Text>
      )}
      {eventsError && (
        <Text size="xs" c="red">
          {eventsError}
        </Text>
      )}
      <TemplateField
        label={t('Filter')}
        description={t('Optional. The rule runs only for events that match.')}
        bare
        placeholder={t('event.data.object.text.body | contains_ignore_case: "hours"')}
        value={filter}
        onChange={(text) => editor.set('filter', text)}
        error={getMessage(faults, '/filter')}
      />
      {filter === '' && events.includes('message.received') && (
        <Group>
          <Button
            size="compact-xs"
            variant="default"
            onClick={() =>
              editor.set('filter', 'event.data.object.text.body | contains_ignore_case: "hello"')
            }
          >
            {t('Filter by text')}
          </Button>
        </Group>
      )}
      <EventsDialog
        opened={picking}
        onClose={() => setPicking(false)}
        types={types}
        value={events}
        onChange={(chosen) => editor.set('events', chosen)}
      />
    </div>
  );
}

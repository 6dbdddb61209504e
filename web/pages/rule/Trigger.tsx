/** What starts the rule: types of events, and the condition that they must meet. */
import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconBolt } from '@tabler/icons-react';
import { lazy, useState } from 'react';
import { storedEventTypesQuery } from '../../api/events.ts';
import type { Fault } from '../../api/problem.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { OnceOpened } from '../../ui/lazy-dialogs.tsx';
import ui from '../../ui/ui.module.css';
import classes from '../publishing-endpoint/editor.module.css';
import { TemplateField } from '../publishing-endpoint/TemplateField.tsx';
import { getMessage } from '../publishing-endpoint/use-editor.ts';
import type { RuleEditor } from './use-rule-editor.ts';

const EventsDialog = lazy(async () => ({ default: (await import('./EventsDialog.tsx')).EventsDialog }));

export function Trigger({ editor, faults }: { editor: RuleEditor; faults: readonly Fault[] }) {
  const { workspace } = useWorkspace();
  const { data: types = [] } = useQuery(storedEventTypesQuery(workspace.id));
  const [picking, setPicking] = useState(false);
  const { events, filter } = editor.form;
  const said = getMessage(faults, '/events');
  return (
    <div className={classes.card} role="group" aria-label="When it runs">
      <div className={classes.cardHead}>
        <IconBolt size={16} stroke={1.75} aria-hidden />
        <strong>When</strong>
        <Button size="compact-xs" variant="default" onClick={() => setPicking(true)}>
          {events.length === 0 ? 'Choose events' : 'Change'}
        </Button>
      </div>
      {events.length === 0 ? (
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={() => editor.set('events', ['message.received'])}>
            When a message comes
          </Button>
          <Text size="xs" c="dimmed">
            or any other of {types.length} events
          </Text>
        </Group>
      ) : (
        <Text className={`${ui.mono} ${classes.breaks}`}>{events.join(', ')}</Text>
      )}
      {said && (
        <Text size="xs" c="red">
          {said}
        </Text>
      )}
      <TemplateField
        label="Only if"
        bare
        placeholder='event.data.object.text.body contains "hours"; empty for all'
        value={filter}
        onChange={(text) => editor.set('filter', text)}
        error={getMessage(faults, '/filter')}
      />
      <OnceOpened opened={picking}>
        <EventsDialog
          opened={picking}
          onClose={() => setPicking(false)}
          types={types}
          value={events}
          onChange={(chosen) => editor.set('events', chosen)}
        />
      </OnceOpened>
    </div>
  );
}

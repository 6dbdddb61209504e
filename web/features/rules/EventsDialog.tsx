/** Chooses the events that trigger a rule. */
import { Button, Modal } from '@mantine/core';
import { useState } from 'react';
import { t } from '../../copy/text.ts';
import type { EventType } from '../../api/types.ts';
import { useBackCloses } from '../../patterns/use-back-closes.ts';
import ui from '../../design/ui.module.css';
import { EventPicker } from '../webhooks/EventPicker.tsx';

interface EventsDialogProps {
  opened: boolean;
  onClose: () => void;
  types: readonly EventType[];
  value: readonly string[];
  onChange: (patterns: string[]) => void;
}

export function EventsDialog({ opened, onClose, ...rest }: EventsDialogProps) {
  useBackCloses(opened, onClose);
  return (
    <Modal opened={opened} onClose={onClose} title={t('Choose trigger events')} size={820}>
      <Choice {...rest} onClose={onClose} />
    </Modal>
  );
}

function Choice({ types, value, onChange, onClose }: Omit<EventsDialogProps, 'opened'>) {
  const [chosen, setChosen] = useState(value);
  return (
    <>
      <EventPicker
        description={t('The events that run the rule. A pattern also includes types added later.')}
        types={types}
        value={chosen}
        onChange={setChosen}
      />
      <div className={ui.dialogFoot}>
        <Button variant="default" onClick={onClose}>
          {t('Cancel')}
        </Button>
        <Button
          disabled={chosen.length === 0}
          onClick={() => {
            onChange([...chosen]);
            onClose();
          }}
        >
          {t('Done')}
        </Button>
      </div>
    </>
  );
}

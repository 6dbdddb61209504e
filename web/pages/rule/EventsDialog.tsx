/** Choosing the events that start a rule. */
import { Button, Modal } from '@mantine/core';
import type { EventType } from '../../api/types.ts';
import ui from '../../ui/ui.module.css';
import { EventPicker } from '../webhooks/EventPicker.tsx';

interface EventsDialogProps {
  opened: boolean;
  onClose: () => void;
  types: readonly EventType[];
  value: readonly string[];
  onChange: (patterns: string[]) => void;
}

export function EventsDialog({ opened, onClose, types, value, onChange }: EventsDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="What starts the rule" size={820}>
      <EventPicker types={types} value={value} onChange={onChange} />
      <div className={ui.dialogFoot}>
        <Button onClick={onClose}>Done</Button>
      </div>
    </Modal>
  );
}

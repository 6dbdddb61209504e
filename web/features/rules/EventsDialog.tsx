/** Chooses the events that trigger a rule. */
import { Button, Modal } from '@mantine/core';
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

export function EventsDialog({ opened, onClose, types, value, onChange }: EventsDialogProps) {
  useBackCloses(opened, onClose);
  return (
    <Modal opened={opened} onClose={onClose} title={t('Choose trigger events')} size={820}>
      <EventPicker types={types} value={value} onChange={onChange} />
      <div className={ui.dialogFoot}>
        <Button onClick={onClose}>{t('Done')}</Button>
      </div>
    </Modal>
  );
}

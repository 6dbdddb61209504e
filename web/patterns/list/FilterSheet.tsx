import { Button, Drawer } from '@mantine/core';
import { t } from '../../copy/text.ts';
import ui from '../../design/ui.module.css';
import { useBackCloses } from '../use-back-closes.ts';
import classes from './list.module.css';

interface FilterSheetProps {
  opened: boolean;
  onClose: () => void;
  /** The chips. */
  children: React.ReactNode;
}

/** The filters of a list on a phone, from below. Loaded when it is first opened. */
export function FilterSheet({ opened, onClose, children }: FilterSheetProps) {
  useBackCloses(opened, onClose);
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      position="bottom"
      size="auto"
      classNames={{ content: classes.sheet, title: ui.formTitle }}
      title={t('Filters')}
      closeButtonProps={{ 'aria-label': t('Close') }}
    >
      <div className={classes.sheetChips}>{children}</div>
      <Button fullWidth mt="md" onClick={onClose}>
        {t('Done')}
      </Button>
    </Drawer>
  );
}

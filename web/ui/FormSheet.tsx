/** A sheet at the side for a form that a dialog has no room for. Only its buttons close it: a click beside it loses no work. */
import { Drawer } from '@mantine/core';
import classes from './ui.module.css';

interface FormSheetProps {
  opened: boolean;
  title: string;
  onClose: () => void;
  children: React.ReactNode;
}

const WIDTH = 560;

export function FormSheet(props: FormSheetProps) {
  return (
    <Drawer
      position="right"
      size={WIDTH}
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': 'Close' }}
      classNames={{ title: classes.formTitle }}
      {...props}
    />
  );
}

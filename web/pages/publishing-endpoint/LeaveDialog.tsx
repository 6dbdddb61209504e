import { OnceOpened, ConfirmDialog } from '../../ui/lazy-dialogs.tsx';

interface LeaveDialogProps {
  opened: boolean;
  onStay: () => void;
  onLeave: () => void;
}

/** Whether what was not saved may be forgotten. */
export function LeaveDialog({ opened, onStay, onLeave }: LeaveDialogProps) {
  return (
    <OnceOpened opened={opened}>
      <ConfirmDialog
        opened={opened}
        title="Leave without saving?"
        confirm="Leave"
        action={() => Promise.resolve()}
        onDone={onLeave}
        onClose={onStay}
      >
        What you changed is not saved, and is lost when you leave.
      </ConfirmDialog>
    </OnceOpened>
  );
}

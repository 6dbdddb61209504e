/** Asks before something that can't be undone, shows the call behind it, and makes it. */
import { Button, Group, Modal, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { CallExample } from '../api/curl.ts';
import { AsCurl } from './AsCurl.tsx';
import { ProblemAlert } from './ProblemAlert.tsx';

interface ConfirmDialogProps<R> {
  opened: boolean;
  title: string;
  /** What will happen, in a sentence or two. */
  children: React.ReactNode;
  /** Says what the button does: "Revoke key". */
  confirm: string;
  danger?: boolean;
  /** Keeps the button off until a condition of the caller is met. */
  disabled?: boolean;
  call?: CallExample;
  action: () => Promise<R>;
  onDone: (answer: R) => void;
  onClose: () => void;
}

export function ConfirmDialog<R>(props: ConfirmDialogProps<R>) {
  const {
    opened,
    title,
    children,
    confirm,
    danger = true,
    disabled = false,
    call,
    action,
    onDone,
    onClose,
  } = props;
  const mutation = useMutation({ mutationFn: action, onSuccess: onDone });
  const close = () => {
    mutation.reset();
    onClose();
  };
  return (
    <Modal opened={opened} onClose={close} title={title}>
      <Stack>
        <div>{children}</div>
        {mutation.error && <ProblemAlert error={mutation.error} />}
        {call && <AsCurl call={call} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button
            color={danger ? 'red' : 'sea'}
            disabled={disabled}
            loading={mutation.isPending}
            onClick={() => mutation.mutate()}
            data-autofocus
          >
            {confirm}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

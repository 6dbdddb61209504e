/** Asks for confirmation before an action that can't be undone, shows its API call, and makes it. Enter cancels. */
import { Button, Group, Modal, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ApiCall, send } from '../api/call.ts';
import { useWorkspace } from '../api/workspace-context.ts';
import { t } from '../copy/text.ts';
import { AsCurl } from './AsCurl.tsx';
import { ProblemAlert } from './ProblemAlert.tsx';
import { useBackCloses } from './use-back-closes.ts';

interface ConfirmActionProps<R> {
  opened: boolean;
  title: string;
  /** Describes the consequences in a sentence or two. */
  children: React.ReactNode;
  /** Label of the button: "Revoke key". */
  confirm: string;
  danger?: boolean;
  /** Keeps the button off until a condition of the caller is met. */
  disabled?: boolean;
  call?: ApiCall<R>;
  /** Runs in place of a call, or waits for the job that the call started. */
  action?: (answer: R) => R | Promise<R>;
  onDone: (answer: R) => unknown;
  onClose: () => void;
}

export function ConfirmAction<R>(props: ConfirmActionProps<R>) {
  const { opened, title, children, confirm, danger = true, disabled = false } = props;
  const { call, action, onDone, onClose } = props;
  const { workspace } = useWorkspace();
  const mutation = useMutation({
    mutationFn: async () => {
      const answer = (call && (await send(workspace.id, call))) as R;
      return action ? action(answer) : answer;
    },
    onSuccess: onDone,
  });
  const close = () => {
    mutation.reset();
    onClose();
  };
  useBackCloses(opened, close);
  return (
    <Modal opened={opened} onClose={close} title={title} closeButtonProps={{ 'aria-label': t('Close') }}>
      <Stack>
        <div>{children}</div>
        {mutation.error && <ProblemAlert error={mutation.error} />}
        {call && <AsCurl call={call} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close} data-autofocus>
            {t('Cancel')}
          </Button>
          <Button
            color={danger ? 'red' : 'sea'}
            disabled={disabled}
            loading={mutation.isPending}
            onClick={() => mutation.mutate()}
          >
            {confirm}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

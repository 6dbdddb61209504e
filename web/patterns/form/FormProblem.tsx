/** Why a form could not be saved; for an object that someone else edited, with a button that loads their changes. */
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { isOutdated } from '../../api/edit.ts';
import { t } from '../../copy/text.ts';
import { notifyFailed } from '../../design/notify.ts';
import { ProblemAlert } from '../ProblemAlert.tsx';
import type { ApiForm } from './use-api-form.ts';

interface FormProblemProps {
  form: Pick<ApiForm<object>, 'problem' | 'rest' | 'reload'>;
}

export function FormProblem({ form: { problem, rest, reload } }: FormProblemProps) {
  const reloading = useMutation({ mutationFn: async () => reload?.(), onError: notifyFailed });
  if (problem === null) return null;
  return (
    <ProblemAlert
      error={problem}
      faults={rest}
      action={
        reload &&
        isOutdated(problem) && (
          <Button
            size="xs"
            variant="default"
            mt="xs"
            loading={reloading.isPending}
            onClick={() => reloading.mutate()}
          >
            {t('Reload')}
          </Button>
        )
      }
    />
  );
}

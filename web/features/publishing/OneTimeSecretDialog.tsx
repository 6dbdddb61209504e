/** Shows a secret URL or signing secret once, with a command that posts a first request. */
import { t } from '../../copy/text.ts';
import type { AnsweredEndpoint } from '../../api/types.ts';
import { SecretDialog } from '../../patterns/SecretDialog.tsx';
import { FirstRequest } from './FirstRequest.tsx';
import { getOneTimeSecret } from './publishing-text.ts';

interface OneTimeSecretDialogProps {
  /** Null keeps the dialog closed. */
  answer: AnsweredEndpoint | null;
  payload: unknown;
  onDone: () => void;
}

export function OneTimeSecretDialog({ answer, payload, onDone }: OneTimeSecretDialogProps) {
  const isUrl = answer?.auth.type === 'secret_url';
  return (
    <SecretDialog
      secret={answer && getOneTimeSecret(answer)}
      title={isUrl ? t('Secret URL') : t('Signing secret')}
      what={isUrl ? t('URL') : t('secret')}
      explanation={
        isUrl
          ? t("Anyone with this URL can post to the endpoint. You won't be able to see it again.")
          : t("Give this secret to the sender, which posts to {url}. You won't be able to see it again.", {
              url: answer?.url ?? '',
            })
      }
      onDone={onDone}
    >
      {answer && <FirstRequest endpoint={answer} secret={answer.secret} payload={payload} />}
    </SecretDialog>
  );
}

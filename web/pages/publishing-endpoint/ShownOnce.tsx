/** What an answer shows this once: a secret address or a signing secret, with the command that posts a first payload. */
import type { AnsweredEndpoint } from '../../api/types.ts';
import { SecretDialog } from '../../ui/SecretDialog.tsx';
import { FirstRequest } from './FirstRequest.tsx';
import { shownOnceOf } from './shown-once.ts';

interface ShownOnceProps {
  /** Null keeps it closed. */
  answer: AnsweredEndpoint | null;
  payload: unknown;
  onDone: () => void;
}

export function ShownOnce({ answer, payload, onDone }: ShownOnceProps) {
  const isAddress = answer?.auth.type === 'secret_url';
  return (
    <SecretDialog
      secret={answer && shownOnceOf(answer)}
      title={isAddress ? 'The secret address' : 'The signing secret'}
      what={isAddress ? 'address' : 'secret'}
      explanation={
        isAddress
          ? 'Whoever knows this address may post to it. It is shown this once: nobody can read it again.'
          : `Give it to the sender, which posts to ${answer?.url ?? ''}. It is shown this once: nobody can read it again.`
      }
      onDone={onDone}
    >
      {answer && <FirstRequest endpoint={answer} secret={answer.secret} payload={payload} />}
    </SecretDialog>
  );
}

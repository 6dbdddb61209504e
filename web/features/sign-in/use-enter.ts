import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { sessionQuery } from '../../api/auth.ts';
import { forgetPerson } from '../../api/session-end.ts';

/**
 * Returns a function that loads the new session and opens the page the user wanted.
 * @param next a path of this console; anything else opens the home page
 */
export function useEnter(next: string | undefined): () => Promise<void> {
  const queryClient = useQueryClient();
  const router = useRouter();
  return async () => {
    queryClient.clear();
    forgetPerson();
    await queryClient.fetchQuery(sessionQuery);
    const inApp = next?.startsWith('/') && !next.startsWith('//');
    await router.navigate({ to: inApp ? next : '/', replace: true });
  };
}

/** After a form signed somebody in: learn who it is, then go where they wanted to go. */
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { sessionQuery } from '../../api/auth.ts';

/** @param next in-app address to go to; anything else leads to the start */
export function useEnter(next: string | undefined): () => Promise<void> {
  const queryClient = useQueryClient();
  const router = useRouter();
  return async () => {
    queryClient.clear();
    await queryClient.fetchQuery(sessionQuery);
    const inApp = next?.startsWith('/') && !next.startsWith('//');
    await router.navigate({ to: inApp ? next : '/', replace: true });
  };
}

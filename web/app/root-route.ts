/** The root route, and the check that a user is signed in. */
import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, redirect } from '@tanstack/react-router';
import { sessionQuery } from '../api/auth.ts';
import { WholePageMissing } from '../patterns/PageStates.tsx';

interface Context {
  queryClient: QueryClient;
}

export const root = createRootRouteWithContext<Context>()({ notFoundComponent: WholePageMissing });

/** Returns the signed-in user, or redirects to the sign-in page and back. */
export async function signedIn({ queryClient }: Context, here: string) {
  const user = await queryClient.ensureQueryData(sessionQuery);
  if (!user) throw redirect({ to: '/sign-in', search: here === '/' ? {} : { next: here } });
  return user;
}

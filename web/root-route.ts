/** What all pages hang from, and who may see those behind the sign-in. */
import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, redirect } from '@tanstack/react-router';
import { sessionQuery } from './api/auth.ts';
import { WholePageMissing } from './shell/PageStates.tsx';

interface Context {
  queryClient: QueryClient;
}

export const root = createRootRouteWithContext<Context>()({ notFoundComponent: WholePageMissing });

/** The signed-in user; sends everybody else to sign in and back. */
export async function signedIn({ queryClient }: Context, here: string) {
  const user = await queryClient.ensureQueryData(sessionQuery);
  if (!user) throw redirect({ to: '/sign-in', search: here === '/' ? {} : { next: here } });
  return user;
}

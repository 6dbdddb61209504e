/** Parts of the console that are loaded when they are first needed. */
import { type ComponentType, lazy } from 'react';
import { importOrWait } from '../api/import-or-wait.ts';

/**
 * Returns a component that is loaded when it is first rendered. While the server can't be reached it stays suspended and
 * tries again, so that the page around it stays.
 * @param load imports the module
 * @param name of the component among the module's exports
 */
export const lazily = <M extends Record<N, ComponentType<never>>, N extends keyof M>(
  load: () => Promise<M>,
  name: N,
): M[N] =>
  // `lazy` forgets type parameters of generic components.
  lazy(async () => ({
    default: (await importOrWait(load))[name] as ComponentType<object>,
  })) as unknown as M[N];

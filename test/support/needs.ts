/**
 * What a test needs of the machine that it runs on. `npm test` tells which tests were skipped and for lack of what;
 * a test that is skipped without such a reason fails the run.
 *
 *     describe('started by root', needs('root on Linux', IS_ROOT && IS_LINUX), () => { … })
 */
declare module 'vitest' {
  interface TaskMeta {
    needs?: string;
  }
}

/** Options for `test` and `describe`: skipped unless `met`, naming `what` was missing. */
export function needs(what: string, met: boolean): { skip: boolean; meta: { needs: string } } {
  return { skip: !met, meta: { needs: what } };
}

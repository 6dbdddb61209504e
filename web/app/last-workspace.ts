/** The workspace that was looked at last in this browser; `/user/api` opens it. */
const KEY = 'fairlead:workspace';

export const lastWorkspace = {
  get: (): string | null => localStorage.getItem(KEY),
  set: (slug: string): void => localStorage.setItem(KEY, slug),
};

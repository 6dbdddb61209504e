import type { LinkProps } from '@tanstack/react-router';

/** Returns the link of rows that open in a sheet beside their list. @param key search parameter that holds the ID */
export const sheetLink =
  (key = 'id') =>
  ({ id }: { id: string }): LinkProps => ({
    to: '.',
    search: (before: Record<string, unknown>) => ({ ...before, [key]: id }),
  });

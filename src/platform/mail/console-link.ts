/** Addresses of the console's pages of a workspace, for mails (web/app/router.tsx has the paths). */
export const consoleLink = (baseUrl: string, workspaceSlug: string, page: string): string =>
  `${baseUrl}/user/api/w/${workspaceSlug}/${page}`;

/** The current workspace, the user, and the user's scopes. */
import { createContext, use } from 'react';
import type { User } from './auth.ts';
import type { Workspace } from './types.ts';

export interface WorkspaceContextValue {
  workspace: Workspace;
  user: User;
  /** Scopes of the user's role in this workspace. */
  scopes: readonly string[];
  /** Host of short links without a custom domain: the host of BASE_URL, which may differ from the console's host. */
  defaultDomain: string;
}

export const WorkspaceContext = createContext<WorkspaceContextValue | null>(null);

/** @throws Error outside a workspace's pages */
export function useWorkspace(): WorkspaceContextValue {
  const value = use(WorkspaceContext);
  if (!value) throw new Error('useWorkspace is for pages of a workspace');
  return value;
}

/** Whether the user's role has a scope in this workspace. */
export const useCan = (scope: string): boolean => useWorkspace().scopes.includes(scope);

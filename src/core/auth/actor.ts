/** The authenticated caller. Only the guard creates actors, and they are immutable. */
import type { Cidr } from '../../platform/http/cidr.ts';
import type { Role, Scope } from '../vocabulary/scopes.ts';

export interface RateLimit {
  /** Requests a minute, on the average. */
  limit: number;
  /** Burst size in requests. */
  burst: number;
}

interface ActorBase {
  /** Public id: `key_…` or `usr_…`. */
  id: string;
  name: string;
  /** The epoch at which this was true; see epoch.ts. */
  epoch: number;
}

export interface WorkspaceLabel {
  name: string;
  slug: string;
}

export interface KeyActor extends ActorBase {
  kind: 'api_key';
  keyId: string;
  workspaceId: string;
  workspace: WorkspaceLabel;
  scopes: ReadonlySet<Scope>;
  rateLimit: RateLimit | null;
  /** IDs of the keys that led to its creation, nearest first. */
  ancestors: readonly string[];
  /** Ancestors of the key that have a rate limit; its calls count toward theirs too. */
  limitedAncestors: readonly { keyId: string; rateLimit: RateLimit }[];
  /** Milliseconds since the epoch; null for never. */
  expiresAt: number | null;
  allowedIps: readonly string[];
  allowedNetworks: readonly Cidr[];
  allowedOrigins: ReadonlySet<string>;
  /** IDs of models and routes, and `provider/*`; null for all. */
  allowedModels: ReadonlySet<string> | null;
  /** Whether objects that the key creates are disabled when the key ends. */
  disablesCreatedOnEnd: boolean;
  hash: string;
}

export interface SessionActor extends ActorBase {
  kind: 'session';
  userId: string;
  email: string;
  workspaceId: string;
  workspace: WorkspaceLabel;
  role: Role;
  scopes: ReadonlySet<Scope>;
  expiresAt: number;
  token: string;
}

/** A signed-in person outside any workspace. */
export interface UserActor extends ActorBase {
  kind: 'user';
  userId: string;
  email: string;
  expiresAt: number;
  token: string;
}

export type WorkspaceActor = KeyActor | SessionActor;
export type Actor = WorkspaceActor | UserActor;

/** The interface through which services ask for slow work. Behind it stands pg-boss (jobs.ts). */
import type { Db } from '../db/database.ts';

/** Queue → its payload. Payloads hold no secret in clear. */
export interface JobPayloads {
  /** A mail sealed by the secret box (it may hold a reset link); see src/platform/mail. */
  'mail.send': { sealed: string };
  /** Gets a media's file from its address; `tried` counts what failed before. */
  'media.fetch': { workspaceId: string; id: string; tried: number };
  /** Removes a content's file once no media refers to it; SHA-256 in hexadecimal. */
  'media.collect': { workspaceId: string; sha256: string };
  /** Deletes messages, chats and the like of an instance that was deleted. */
  'instances.erase': { workspaceId: string; instanceId: string };
  /** Gives what chats and messages hold of a contact to the one that it was merged into. */
  'contacts.merge': { workspaceId: string; contactId: string; instanceIds: string[] };
  /** Merges the second of two contacts, which a channel says are one person, into the first. */
  'contacts.join': { workspaceId: string; contactIds: [string, string] };
  /** Deletes messages of an erased contact's chats; with identities, empties what it wrote in groups. Of earlier versions. */
  'contacts.erase': {
    workspaceId: string;
    contactIds: string[];
    chatIds: string[];
    identities: { instance_id: string; address: string }[];
  };
  /** Erases the remaining data of an erased contact, which its row in `contact_erasures` identifies. */
  'contacts.forget': { workspaceId: string; erasureId: string };
  /**
   * Imports contacts from a file. A file uploaded only for the job is deleted with it. `actorId`: public ID of the
   * caller.
   */
  'contacts.import': {
    workspaceId: string;
    jobId: string;
    mediaId: string;
    instanceId: string | null;
    actorId: string;
    deletesMedia: boolean;
  };
  /** The same of short links. `domain`: where all lines go; null where each says so itself. */
  'links.import': {
    workspaceId: string;
    jobId: string;
    mediaId: string;
    domain: string | null;
    actorId: string;
    deletesMedia: boolean;
  };
  /** Gives links that were made for messages to these contacts to another, or to none. */
  'links.contacts': { workspaceId: string; contactIds: string[]; to: string | null };
  /**
   * Tells of the links of a tag that was renamed, or deleted where `after` is null; `at` in RFC 3339. `written`: how many
   * earlier turns of the job wrote.
   */
  'tags.spread': {
    workspaceId: string;
    tagId: string;
    before: string;
    after: string | null;
    at: string;
    written?: number;
  };
  /**
   * Asks the model of a publishing endpoint about a publication; `only`: the destinations to publish to, null for all;
   * `tried` counts what failed before.
   */
  'publications.ask': { workspaceId: string; id: string; only: readonly number[] | null; tried: number };
  /** Cancels what waits of a publishing endpoint that was deleted. */
  'publications.cancel': { workspaceId: string; endpointId: string };
  /** Confirms a subscription of Amazon SNS to a publishing endpoint, which is a UUID. */
  'publishing-endpoints.confirm': { workspaceId: string; endpointId: string; url: string };
  /** Deletes what is kept of the clicks of links that were deleted. */
  'links.erase': { workspaceId: string; linkIds: string[] };
  /** Removes credentials that an earlier release recorded at inspectors; `last`: of two passes. */
  'inspectors.clean': { last: boolean };
  /** Stores the words of contacts that an earlier release wrote; `last`: of two passes. */
  'contacts.words': { last: boolean };
  /** Reads the model list of a provider that was created or changed. */
  'model-providers.refresh': { workspaceId: string; id: string };
  /** Erases a deleted workspace's rows. */
  'workspaces.erase': { workspaceId: string };
  /**
   * Disables what a key or member created, after either ended. `createdBy`: its public ID; `createdBefore` in RFC 3339: a member
   * may join again.
   */
  'created-objects.disable': {
    workspaceId: string;
    createdBy: string;
    reason: 'api_key_revoked' | 'api_key_expired' | 'member_removed';
    createdBefore: string;
  };
  /** Sends events of a span of time again; `statuses` as the caller chose them. Times in RFC 3339. */
  'webhooks.replay': {
    workspaceId: string;
    webhookId: string;
    jobId: string;
    since: string;
    until: string;
    statuses: string[];
  };
}

export type JobName = keyof JobPayloads;

export interface JobQueue {
  /**
   * Enqueues within the given transaction: the job exists if and only if the change commits.
   * @param options `afterSeconds`: it is not begun sooner than that. `workspaceId`: whose it is, where the payload does
   * not say. `isUrgent`: before all others of its queue.
   */
  enqueue<N extends JobName>(
    db: Db,
    name: N,
    payload: JobPayloads[N],
    options?: { afterSeconds?: number; workspaceId?: string; isUrgent?: boolean },
  ): Promise<void>;
}

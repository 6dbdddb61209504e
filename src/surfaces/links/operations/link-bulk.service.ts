/** Creates, updates and deletes short links in bulk. A rejected item leaves no trace and doesn't affect the others. */
import type { WorkspaceActor } from '../../../core/auth/actor.ts';
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import { notFound, Problem } from '../../../platform/http/problem.ts';
import { compileValidator } from '../../../platform/http/validation.ts';
import { changeLinks, type LinkChange } from '../changes/link-change.ts';
import { type LinkRequest, createLinks } from '../creation/link-create.ts';
import type { UpdateLinksBody } from './link-bulk.schema.ts';
import { removeLinks } from '../changes/link-deletion.ts';
import type { LinkDeps } from '../creation/link-deps.ts';
import type { LinkInput } from '../creation/link-input.ts';
import { MAX_TAGS } from '../records/link-fields.schema.ts';
import { CreateLink, type CreateLinkBody, type LinkObject } from '../records/link.schema.ts';
import { hashLinkPassword, type LinkPasswordDeps } from '../creation/link-password.ts';
import { toLinkRequest } from './link.service.ts';
import type { LinkRow } from '../records/link.store.ts';

/** Result of one item: the link or null with the status of the corresponding single request, or the problem. */
export type BulkOutcome = { status: number; link: LinkObject | null } | Problem;

const checkLink = compileValidator(CreateLink, 'body');

/** Limited because a hash takes a CPU core for about 50 ms. */
const MAX_PASSWORDS = 20;

/** Hashes the distinct passwords of valid items; those beyond 20 are left out. @returns password → hash */
export async function hashPasswords(
  deps: LinkPasswordDeps,
  actor: WorkspaceActor,
  items: readonly unknown[],
): Promise<Map<string, string>> {
  const texts = new Set(
    items.flatMap((item) => {
      if (typeof item !== 'object' || item === null || 'error' in checkLink(item)) return [];
      return (item as CreateLinkBody).password ?? [];
    }),
  );
  const hashed = [...texts]
    .slice(0, MAX_PASSWORDS)
    .map(async (text) => [text, await hashLinkPassword(deps, actor, text)] as const);
  return new Map(await Promise.all(hashed));
}

function readItem(actor: WorkspaceActor, item: unknown, hashes: ReadonlyMap<string, string>): LinkRequest {
  const checked = checkLink(item);
  if ('error' in checked) throw checked.error;
  const body = item as CreateLinkBody;
  const hash = body.password == null ? null : hashes.get(body.password);
  if (hash === undefined)
    throw new Problem(
      'unprocessable',
      `A request may contain at most ${MAX_PASSWORDS} different passwords.`,
      {
        errors: [
          {
            pointer: '/password',
            code: 'too_many_passwords',
            detail: `exceeds the limit of ${MAX_PASSWORDS} different passwords in one request`,
          },
        ],
      },
    );
  return toLinkRequest(actor, body, hash);
}

/** Creates links. @returns an outcome for each item, in the same order */
export async function createMany(
  unit: Unit,
  deps: LinkDeps,
  actor: WorkspaceActor,
  items: readonly unknown[],
  hashes: ReadonlyMap<string, string>,
): Promise<BulkOutcome[]> {
  const requests: LinkRequest[] = [];
  const rejected = items.map((item): Problem | null => {
    try {
      requests.push(readItem(actor, item, hashes));
      return null;
    } catch (error) {
      if (error instanceof Problem) return error;
      throw error;
    }
  });
  const made = await createLinks(unit, deps, actor.workspaceId, requests);
  return rejected.map((problem) => {
    const outcome = problem ?? made.shift()!;
    return outcome instanceof Problem ? outcome : { status: outcome.isNew ? 201 : 200, link: outcome.link };
  });
}

/** Resolves `add_tags` and `remove_tags` against the link's tags. @throws Problem unprocessable */
function toLinkInput(
  { add_tags: added, remove_tags: removed, ...rest }: Omit<UpdateLinksBody, 'ids'>,
  row: LinkRow,
): LinkInput {
  if (!added && !removed) return rest;
  const removedNames = new Set(removed?.map((name) => name.trim().toLowerCase()));
  const remaining = (rest.tags ?? row.tags).filter((name) => !removedNames.has(name.toLowerCase()));
  const tags = [...remaining, ...(added ?? [])];
  if (new Set(tags.map((name) => name.toLowerCase())).size > MAX_TAGS)
    throw new Problem('unprocessable', `A link can have at most ${MAX_TAGS} tags.`, {
      errors: [
        {
          pointer: '/add_tags',
          code: 'too_many_tags',
          detail: `must not result in more than ${MAX_TAGS} tags`,
        },
      ],
    });
  return { ...rest, tags };
}

const toUuids = (ids: readonly string[]): string[] => ids.map((id) => toUuid('link', id)!);

export async function updateMany(
  unit: Unit,
  deps: LinkDeps,
  actor: WorkspaceActor,
  body: UpdateLinksBody,
): Promise<BulkOutcome[]> {
  const { ids, ...change } = body;
  const changes = toUuids(ids).map((id): LinkChange => ({ id, body: (row) => toLinkInput(change, row) }));
  const outcomes = await changeLinks(unit, deps, actor.workspaceId, { actorId: actor.id }, changes);
  return outcomes.map((outcome) =>
    outcome instanceof Problem ? outcome : { status: 200, link: outcome.link },
  );
}

export async function deleteMany(
  unit: Unit,
  deps: LinkDeps,
  workspaceId: string,
  ids: readonly string[],
): Promise<BulkOutcome[]> {
  const outcomes = await removeLinks(unit, deps, workspaceId, toUuids(ids));
  return outcomes.map((outcome) =>
    outcome instanceof Problem ? notFound('link') : { status: 204, link: null },
  );
}

/**
 * Updates links that were created for messages to a contact. When a contact is merged into another, the links move to
 * the other contact. When a contact is erased, the links keep working, but are detached from contact and message; links
 * that contain an address or ID of the contact are deleted with their clicks. Work is committed batch by batch, and
 * processed links are not found again.
 */
import type { Unit, Units } from '../../../core/unit/unit-of-work.ts';
import {
  type ErasedPerson,
  isMentionedIn,
  type PersonalData,
  getPersonalData,
} from '../../../core/events/erasure/person.ts';
import { erasedObject } from '../../../core/events/erasure/redact.ts';
import { publicId } from '../../../core/vocabulary/ids.ts';
import type { JobPayloads } from '../../../platform/jobs/job-queue.ts';
import { type JobTurn, performInTurn, type Step, UNSHARED, walkInTurn } from '../../../platform/jobs/turn.ts';
import { removeLinks } from '../changes/link-deletion.ts';
import type { LinkDeps } from '../creation/link-deps.ts';
import { getTexts } from '../records/link-fields.schema.ts';
import { lockLinks, type LinkRow } from '../records/link.store.ts';
import { bumpLinkVersions } from './link-version.ts';
import { detachLinks, moveLinksToContact, linksOfContacts } from './link-version.store.ts';

const BATCH = 200;

/**
 * Executes the job `links.contacts`.
 * @returns the payload of its next turn
 * @throws if the turn's signal aborts it; the job is then retried
 */
export async function giveLinksOfContacts(
  units: Units,
  baseUrl: string,
  payload: JobPayloads['links.contacts'],
  turn = UNSHARED,
): Promise<typeof payload | void> {
  const { workspaceId, contactIds, to } = payload;
  const giveBatch = async (): Promise<boolean> => {
    const count = await units.write(async (unit) => {
      const had = await moveLinksToContact(unit.db, workspaceId, contactIds, to, BATCH);
      const before = new Map([...had].map(([id, contactId]) => [publicId('link', id), contactId]));
      if (had.size)
        await bumpLinkVersions(unit, baseUrl, workspaceId, [...had.keys()], ({ id }) => ({
          contact_id: publicId('contact', before.get(id)!),
        }));
      return had.size;
    });
    return count === BATCH;
  };
  if (!(await performInTurn(turn, giveBatch))) return payload;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // not percent-encoded: literal text
  }
}

/** Yields all texts in a value; of URLs also the decoded parts. */
function* extractTexts(value: unknown): Generator<string> {
  if (typeof value === 'string') {
    yield value;
    if (!URL.canParse(value)) return;
    const { pathname, searchParams, hash } = new URL(value);
    for (const part of [...pathname.split('/'), hash.slice(1)]) yield decoded(part);
    for (const [name, one] of searchParams) yield* [name, one];
  } else if (typeof value === 'object' && value !== null)
    for (const one of Object.values(value)) yield* extractTexts(one);
}

const mentionsContact = ({ url, image, ...link }: LinkRow, traces: PersonalData): boolean =>
  [
    ...extractTexts([
      url,
      ...Object.values(getTexts(link)),
      image,
      link.slug,
      link.expired_url,
      link.external_id,
      link.targeting,
      link.utm,
      link.metadata,
      link.tags,
    ]),
  ].some((text) => isMentionedIn(text, traces));

async function eraseBatch(
  unit: Unit,
  deps: Pick<LinkDeps, 'baseUrl' | 'linksDeleted'>,
  { workspaceId, contactIds }: ErasedPerson,
  traces: PersonalData,
): Promise<number> {
  const found = await linksOfContacts(unit.db, workspaceId, contactIds, BATCH);
  const rows = await lockLinks(unit.db, workspaceId, found);
  const toDelete = rows.filter((row) => mentionsContact(row, traces)).map(({ id }) => id);
  const toDetach = rows.map(({ id }) => id).filter((id) => !toDelete.includes(id));
  await removeLinks(unit, deps, workspaceId, toDelete, (link) => erasedObject(link));
  await detachLinks(unit.db, workspaceId, toDetach);
  if (toDetach.length) await bumpLinkVersions(unit, deps.baseUrl, workspaceId, toDetach, () => ({}));
  return found.length;
}

/** Erases a contact from its links. */
export function eraseLinksFor(
  units: Units,
  deps: Pick<LinkDeps, 'baseUrl' | 'linksDeleted'>,
  person: ErasedPerson,
  turn: JobTurn,
): Step {
  const traces = getPersonalData(person);
  const eraseNext = async (): Promise<string | undefined> => {
    const count = await units.write((unit) => eraseBatch(unit, deps, person, traces));
    return count < BATCH ? undefined : '';
  };
  return { name: 'links', perform: () => walkInTurn(turn, '', eraseNext) };
}

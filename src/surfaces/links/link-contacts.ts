/**
 * What becomes of links that were made for messages to a contact: of one that is merged into another they are the other's;
 * of one that is erased they lead on, and nobody knows for whom they were made. But where the link itself names the contact
 * by an address or an id, it goes, with its clicks. Batches commit one by one; a batch that ran is not found again.
 */
import type { Unit, Units } from '../../core/unit-of-work.ts';
import {
  type ErasedPerson,
  isMentionedIn,
  type PersonalData,
  getPersonalData,
} from '../../core/events/erasure/person.ts';
import { erasedObject } from '../../core/events/erasure/redact.ts';
import { publicId } from '../../platform/http/ids.ts';
import type { JobPayloads } from '../../platform/jobs/job-queue.ts';
import { removeLinks } from './link-deletion.ts';
import type { LinkDeps } from './link-deps.ts';
import { lockLinks, type LinkRow } from './link.store.ts';
import { bumpLinkVersions } from './link-version.ts';
import { detachLinks, giveLinks, linksOfContacts } from './link-version.store.ts';

const BATCH = 200;

/** Performs the job `links.contacts`. @throws where `signal` ends it early: it is to be begun again */
export async function giveLinksOfContacts(
  units: Units,
  baseUrl: string,
  { workspaceId, contactIds, to }: JobPayloads['links.contacts'],
  signal?: AbortSignal,
): Promise<void> {
  for (;;) {
    signal?.throwIfAborted();
    const count = await units.write(async (unit) => {
      const had = await giveLinks(unit.db, workspaceId, contactIds, to, BATCH);
      const before = new Map([...had].map(([id, contactId]) => [publicId('link', id), contactId]));
      if (had.size)
        await bumpLinkVersions(unit, baseUrl, workspaceId, [...had.keys()], ({ id }) => ({
          contact_id: publicId('contact', before.get(id)!),
        }));
      return had.size;
    });
    if (count < BATCH) return;
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // No escape: it stands for itself.
  }
}

/** All texts in it, those of addresses decoded too, and in their parts. */
function* textsOf(value: unknown): Generator<string> {
  if (typeof value === 'string') {
    yield value;
    if (!URL.canParse(value)) return;
    const { pathname, searchParams, hash } = new URL(value);
    for (const part of [...pathname.split('/'), hash.slice(1)]) yield decoded(part);
    for (const [name, one] of searchParams) yield* [name, one];
  } else if (typeof value === 'object' && value !== null)
    for (const one of Object.values(value)) yield* textsOf(one);
}

const namesIn = ({ url, title, description, image, ...link }: LinkRow, traces: PersonalData): boolean =>
  [
    ...textsOf([
      url,
      title,
      description,
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

async function forgetSome(
  unit: Unit,
  deps: Pick<LinkDeps, 'baseUrl' | 'linksDeleted'>,
  { workspaceId, contactIds }: ErasedPerson,
  traces: PersonalData,
): Promise<number> {
  const found = await linksOfContacts(unit.db, workspaceId, contactIds, BATCH);
  const rows = await lockLinks(unit.db, workspaceId, found);
  const going = rows.filter((row) => namesIn(row, traces)).map(({ id }) => id);
  const staying = rows.map(({ id }) => id).filter((id) => !going.includes(id));
  await removeLinks(unit, deps, workspaceId, going, (link) => erasedObject(link));
  await detachLinks(unit.db, workspaceId, staying);
  if (staying.length) await bumpLinkVersions(unit, deps.baseUrl, workspaceId, staying, () => ({}));
  return found.length;
}

/** Of a contact that is erased. May be run again. @throws where `signal` ends it early */
export async function eraseLinksFor(
  units: Units,
  deps: Pick<LinkDeps, 'baseUrl' | 'linksDeleted'>,
  person: ErasedPerson,
  signal?: AbortSignal,
): Promise<void> {
  const traces = getPersonalData(person);
  for (;;) {
    signal?.throwIfAborted();
    if ((await units.write((unit) => forgetSome(unit, deps, person, traces))) < BATCH) return;
  }
}

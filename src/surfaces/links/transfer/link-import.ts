/**
 * Imports links. A line updates the link with its external_id, or else the link at its address. Without either, it
 * matches a link with the same values. If there is no such link, one is created. A file can therefore be imported
 * again.
 */
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import { Problem } from '../../../platform/http/problem.ts';
import type { JobPayloads } from '../../../platform/jobs/job-queue.ts';
import type { Counts, ImportKind } from '../../../core/transfer/import-job.ts';
import type { ImportLineError } from '../../../core/transfer/import-line.ts';
import { keyOfAddress } from '../addresses/link-address.system-store.ts';
import { changeLinks, type LinkChange } from '../changes/link-change.ts';
import { createLinks } from '../creation/link-create.ts';
import type { LinkDeps } from '../creation/link-deps.ts';
import { normalizeDomain } from '../creation/link-input.ts';
import { domainsByHost, idsByExternalId, lockNames } from '../creation/link-lookup.store.ts';
import { readSlug } from '../addresses/slug.ts';
import { LINK_COLUMNS } from './link-columns.ts';
import { type LineInput, readLine } from './link-import-line.ts';
import { idsByAddress } from './link-import.store.ts';

type Payload = JobPayloads['links.import'];
type Refuse = (error: ImportLineError) => void;

/** Sets the domain of each line: the import's domain, or the host of its short URL if it is a verified domain. */
async function assignDomains(
  unit: Unit,
  { baseUrl }: LinkDeps,
  { workspaceId, domain }: Payload,
  inputs: readonly LineInput[],
): Promise<void> {
  const hosts = new Map(
    inputs.flatMap(({ shortHost }) => (shortHost ? [[shortHost, normalizeDomain(shortHost, baseUrl)]] : [])),
  );
  const named = [...new Set([...hosts.values()].filter((host) => host !== null && host !== ''))] as string[];
  const known =
    domain === null ? await domainsByHost(unit.db, workspaceId, named) : new Map<string, string>();
  for (const { body, shortHost } of inputs) {
    const own = shortHost === null ? null : hosts.get(shortHost);
    if (domain !== null) body.domain = domain;
    else if (own && known.get(own) === 'verified') body.domain = own;
  }
}

/** Returns the key that a line's link is looked up by; null if it has neither external_id nor slug. */
function getLookupKey(
  { baseUrl }: LinkDeps,
  { body }: LineInput,
): { by: 'id' | 'address'; key: string } | null {
  if (body.external_id != null) return { by: 'id', key: body.external_id };
  const slug = body.slug === undefined ? null : readSlug(body.slug);
  const domain = normalizeDomain(body.domain, baseUrl);
  return slug === null || domain === null ? null : { by: 'address', key: keyOfAddress({ domain, slug }) };
}

const toLineError = (line: number, { code, message, errors }: Problem): ImportLineError => ({
  line,
  code: errors[0]?.code ?? code,
  detail: (errors[0] ? `${errors[0].pointer.slice(1)} ${errors[0].detail}` : message).slice(0, 300),
});

/** Imports lines that refer to distinct links. */
async function importWave(
  unit: Unit,
  deps: LinkDeps,
  { workspaceId, actorId }: Payload,
  wave: readonly LineInput[],
  counts: Counts,
  refuse: Refuse,
): Promise<void> {
  const keys = wave.map((input) => getLookupKey(deps, input));
  const externalIds = keys.flatMap((key) => (key?.by === 'id' ? [key.key] : []));
  await lockNames(
    unit.db,
    workspaceId,
    externalIds.map((id) => `by ${id}`),
  );
  const byExternalId = await idsByExternalId(unit.db, workspaceId, externalIds);
  const addresses = wave.flatMap(({ body }, nth) =>
    keys[nth]?.by === 'address'
      ? [{ domain: normalizeDomain(body.domain, deps.baseUrl)!, slug: readSlug(body.slug!)! }]
      : [],
  );
  const byAddress = await idsByAddress(unit.db, workspaceId, addresses);
  const findId = (nth: number): string | undefined => {
    const key = keys[nth];
    return key ? (key.by === 'id' ? byExternalId : byAddress).get(key.key) : undefined;
  };
  const versions = new Map<string, number>();
  const known = wave.flatMap((input, nth) => {
    const id = findId(nth);
    return id === undefined ? [] : [{ input, id }];
  });
  const changes = known.map(({ id, input }): LinkChange => ({
    id,
    body(row) {
      versions.set(id, row.version);
      return input.body;
    },
  }));
  const changed = await changeLinks(unit, deps, workspaceId, { actorId }, changes, externalIds);
  for (const [nth, outcome] of changed.entries()) {
    const { id, input } = known[nth]!;
    if (outcome instanceof Problem) refuse(toLineError(input.line, outcome));
    else counts[outcome.version === versions.get(id) ? 'unchanged' : 'updated'] += 1;
  }
  const fresh = wave.filter((input, nth) => {
    if (findId(nth) !== undefined) return false;
    if (!input.hadPassword) return true;
    refuse({
      line: input.line,
      code: 'password_missing',
      detail: 'had a password, which is not in the file: without it, the link would be public',
    });
    return false;
  });
  const made = await createLinks(
    unit,
    deps,
    workspaceId,
    fresh.map(({ body }) => ({ actorId, body: { ...body, find_if_exists: body.slug === undefined } })),
  );
  for (const [nth, outcome] of made.entries())
    if (outcome instanceof Problem) refuse(toLineError(fresh[nth]!.line, outcome));
    else counts[outcome.isNew ? 'created' : 'unchanged'] += 1;
}

/** Splits lines so that several lines of the same link are imported one after the other, and the last one wins. */
function* waves(deps: LinkDeps, inputs: readonly LineInput[]): Generator<LineInput[]> {
  for (let remaining = inputs; remaining.length;) {
    const seen = new Set<string>();
    const isFirst = (input: LineInput): boolean => {
      const key = getLookupKey(deps, input);
      const seenKey = key && `${key.by} ${key.key}`;
      if (seenKey === null) return true;
      const sizeBefore = seen.size;
      return seen.add(seenKey).size > sizeBefore;
    };
    const parts = Map.groupBy(remaining, isFirst);
    yield parts.get(true)!;
    remaining = parts.get(false) ?? [];
  }
}

export const linkImport = (deps: LinkDeps): ImportKind<Payload> => ({
  name: 'links.import',
  columns: LINK_COLUMNS,
  async take(unit, payload, lines, refuse) {
    const inputs = lines.flatMap((line) => {
      const read = readLine(line);
      if (!('code' in read)) return [read];
      refuse(read);
      return [];
    });
    await assignDomains(unit, deps, payload, inputs);
    const counts: Counts = { created: 0, updated: 0, unchanged: 0 };
    for (const wave of waves(deps, inputs)) await importWave(unit, deps, payload, wave, counts, refuse);
    return counts;
  },
});

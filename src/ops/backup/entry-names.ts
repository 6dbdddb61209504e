/** Parses the names of a backup's entries. Rejects any other name and any other order (format.ts). */
import { damaged } from './backup-error.ts';
import { HEADER, MANIFEST, SEAL, SECRET } from './format.ts';

export type EntryKind =
  | { kind: 'header' | 'secret' | 'manifest' | 'seal' }
  | { kind: 'rows'; table: string; piece: number }
  | { kind: 'clicks'; journal: string; segment: number; piece: number }
  | { kind: 'media'; workspaceId: string; sha256: string };

const ORDER: EntryKind['kind'][] = ['header', 'rows', 'clicks', 'media', 'secret', 'manifest', 'seal'];
const SINGLE: Record<string, EntryKind> = {
  [HEADER]: { kind: 'header' },
  [SECRET]: { kind: 'secret' },
  [MANIFEST]: { kind: 'manifest' },
  [SEAL]: { kind: 'seal' },
};
const ROWS = /^database\/((?:public|pgboss)\.[a-z_][a-z0-9_]{0,62})\/(\d{6})\.copy\.zst$/;
const ID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const CLICKS = new RegExp(`^clicks/(${ID})/(\\d{8})/(\\d{6})\\.zst$`);
const MEDIA = new RegExp(`^media/(${ID})/([0-9a-f]{2})/(\\2[0-9a-f]{62})$`);

export function getKind(name: string): EntryKind | null {
  if (Object.hasOwn(SINGLE, name)) return SINGLE[name]!;
  const [, table, rowsPiece] = ROWS.exec(name) ?? [];
  if (table !== undefined) return { kind: 'rows', table, piece: Number(rowsPiece) };
  const [, journal, segment, piece] = CLICKS.exec(name) ?? [];
  if (journal !== undefined)
    return { kind: 'clicks', journal, segment: Number(segment), piece: Number(piece) };
  const [, workspaceId, , sha256 = ''] = MEDIA.exec(name) ?? [];
  return workspaceId === undefined ? null : { kind: 'media', workspaceId, sha256 };
}

/**
 * @returns a function that takes the entry names in order and returns the kind of each. It throws a BackupError for a
 * name that is not allowed at its position.
 */
export function orderedKinds(): (name: string) => EntryKind {
  let rank = -1;
  let lastMedia = '';
  let group = '';
  let pieces = 0;
  const groups = new Set<string>();

  const inPieces = (next: string, piece: number): boolean => {
    if (next === group) return piece === ++pieces;
    if (groups.has(next) || piece !== 1) return false;
    groups.add(next);
    [group, pieces] = [next, 1];
    return true;
  };
  const hasPlace = (name: string, found: EntryKind): boolean => {
    const nextRank = ORDER.indexOf(found.kind);
    if (nextRank < rank || (rank === -1 && nextRank !== 0)) return false;
    const isRepeated = nextRank === rank;
    rank = nextRank;
    if (found.kind === 'rows' || found.kind === 'clicks')
      return inPieces(name.slice(0, name.lastIndexOf('/')), found.piece);
    if (found.kind !== 'media') return !isRepeated;
    if (name <= lastMedia) return false;
    lastMedia = name;
    return true;
  };

  return (name) => {
    const found = getKind(name);
    if (found === null || !hasPlace(name, found))
      throw damaged(`the entry ${JSON.stringify(name.slice(0, 160))} is not allowed`);
    return found;
  };
}

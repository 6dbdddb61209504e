/** Files received with messages: streamed in beforehand; their row is written in the transaction of the message. */
import { timeOfUuid } from '../../../platform/db/uuid-time.ts';
import type { Readable } from 'node:stream';
import { publicId } from '../../../core/vocabulary/ids.ts';
import type { Holding } from '../connections/connection-lease.ts';
import type { Unit, Units } from '../../../core/unit/unit-of-work.ts';
import type { Quotas } from '../../../core/workspaces/quota.ts';
import type { ReceivedFile } from '../../../channels/contract/connection.ts';
import type { MediaFiles, ReceivedMedia } from './media-files.ts';
import { cleanFileName } from './file-name.ts';
import { sourceContext } from './media.service.ts';
import { insertMedia, lockContent } from './media.store.ts';
import { getType } from './media-type.ts';
import type { SecretBox } from '../../../platform/crypto/secret-box.ts';

interface Kept {
  /** Null if the workspace had no space for it. */
  media: ReceivedMedia | null;
  fileName: string | null;
  mimeType: string | null;
  isAdopted: boolean;
}

type Place = Pick<Holding, 'workspaceId' | 'instanceId'>;

export interface KeptFile {
  id: string;
  fileName: string | null;
}

export interface InboundFiles {
  /** Streams a file in and prepares it to be stored. Stores nothing if the workspace has no space for it. */
  receive(
    workspaceId: string,
    source: Readable,
    about: { fileName: string | null; mimeType: string | null },
  ): Promise<ReceivedFile>;
  /** Writes the row of a message's file. @returns its ID and name; null if the workspace has no space for it */
  keep(
    unit: Unit,
    holding: Place,
    file: { received: ReceivedFile } | { url: string; fileName: string | null },
  ): Promise<KeptFile | null>;
  /** Writes the row that says why a message's file was not kept. */
  keepReason(unit: Unit, holding: Place, file: { received: ReceivedFile }): Promise<KeptFile>;
  /** Discards a file that is no longer needed. */
  discard(file: ReceivedFile): Promise<void>;
}

/** @throws `exceeded` as soon as there are more bytes than that */
async function* bounded(source: Readable, bytes: number, exceeded: Error): AsyncGenerator<Buffer> {
  let left = bytes;
  for await (const chunk of source as AsyncIterable<Buffer>) {
    left -= chunk.length;
    if (left < 0) throw exceeded;
    yield chunk;
  }
}

export interface InboundFilesDeps {
  units: Pick<Units, 'read'>;
  files: MediaFiles;
  secrets: SecretBox;
  /**
   * Checked without its lock, which would wait for other transactions of the workspace while rows are locked:
   * concurrent writes of several connections may together exceed the limit.
   */
  quotas: Pick<Quotas, 'peek'>;
}

export function createInboundFiles({ units, files, secrets, quotas }: InboundFilesDeps): InboundFiles {
  const received = new WeakMap<ReceivedFile, Kept>();
  const getKept = (file: ReceivedFile): Kept => {
    const kept = received.get(file);
    if (!kept) throw new Error('a file that was not received here');
    return kept;
  };

  const keepReceived = async (unit: Unit, { workspaceId, instanceId }: Place, file: ReceivedFile) => {
    const kept = getKept(file);
    const { media, fileName, mimeType } = kept;
    if (!media || (await quotas.peek(unit, workspaceId, 'media_bytes')).count < media.size) return null;
    const type = await getType(media.head, mimeType);
    await lockContent(unit.db, workspaceId, media.sha256.toString('hex'));
    // The stored file stays in place if a transaction that adopted it was rolled back.
    if (!kept.isAdopted) await media.adopt(workspaceId);
    kept.isAdopted = true;
    const id = unit.newUuid();
    const content = {
      mime_type: type,
      mime_family: type.split('/')[0]!,
      size: media.size,
      sha256: media.sha256,
    };
    const about = {
      file_name: fileName,
      metadata: {},
      created_by: publicId('instance', instanceId),
      created_at: timeOfUuid(id),
    };
    await insertMedia(unit.db, workspaceId, { id, state: 'ready', ...content, ...about });
    return { id, fileName };
  };

  return {
    async receive(workspaceId, source, { fileName, mimeType }) {
      const { count, exceeded } = await quotas.peek(units.read, workspaceId, 'media_bytes');
      const about = { fileName: cleanFileName(fileName), mimeType, isAdopted: false };
      let media: ReceivedMedia;
      try {
        media = await files.receive(bounded(source, count, exceeded), null);
      } catch (error) {
        if (error !== exceeded) throw error;
        const file: ReceivedFile = { size: 0, sha256: '' };
        received.set(file, { ...about, media: null });
        return file;
      }
      try {
        await media.bring(workspaceId);
      } catch (error) {
        await media.discard();
        throw error;
      }
      const file: ReceivedFile = { size: media.size, sha256: media.sha256.toString('hex') };
      received.set(file, { ...about, media });
      return file;
    },
    async keep(unit, place, file) {
      const { workspaceId, instanceId } = place;
      if ('received' in file) return keepReceived(unit, place, file.received);
      const id = unit.newUuid();
      const fileName = cleanFileName(file.fileName);
      await insertMedia(unit.db, workspaceId, {
        id,
        state: 'pending',
        source_sealed: secrets.seal(file.url, sourceContext(workspaceId, id)),
        file_name: fileName,
        metadata: {},
        created_by: publicId('instance', instanceId),
        created_at: timeOfUuid(id),
      });
      await unit.jobs.enqueue(unit.db, 'media.fetch', { workspaceId, id, tried: 0 });
      return { id, fileName };
    },
    async keepReason(unit, { workspaceId, instanceId }, { received: file }) {
      const { fileName } = getKept(file);
      const id = unit.newUuid();
      const { exceeded } = await quotas.peek(unit, workspaceId, 'media_bytes');
      await insertMedia(unit.db, workspaceId, {
        id,
        state: 'failed',
        error_code: exceeded.code,
        error_detail: `${exceeded.message} There was no room for this file.`,
        file_name: fileName,
        metadata: {},
        created_by: publicId('instance', instanceId),
        created_at: timeOfUuid(id),
      });
      return { id, fileName };
    },
    discard: async (file) => received.get(file)?.media?.discard(),
  };
}

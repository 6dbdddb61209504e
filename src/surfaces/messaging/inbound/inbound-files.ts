/** Files that come with messages: streamed in before, given a row within the transaction of their message. */
import type { Readable } from 'node:stream';
import { publicId } from '../../../platform/http/ids.ts';
import type { Holding } from '../connections/connection-lease.ts';
import type { Unit } from '../../../core/unit-of-work.ts';
import type { ReceivedFile } from '../../../channels/contract/connection.ts';
import type { MediaFiles, ReceivedMedia } from '../media/media-files.ts';
import { cleanFileName } from '../media/file-name.ts';
import { sourceContext } from '../media/media.service.ts';
import { insertMedia, lockContent } from '../media/media.store.ts';
import { getType } from '../media/media-type.ts';
import type { SecretBox } from '../../../platform/crypto/secret-box.ts';

interface Kept {
  media: ReceivedMedia;
  fileName: string | null;
  mimeType: string | null;
  isAdopted: boolean;
}

type Place = Pick<Holding, 'workspaceId' | 'instanceId'>;

export interface InboundFiles {
  /** Streams a file in and makes it ready to be kept. */
  receive(
    workspaceId: string,
    source: Readable,
    about: { fileName: string | null; mimeType: string | null },
  ): Promise<ReceivedFile>;
  /** Writes the row of a message's file. @returns its id, and its name */
  keep(
    unit: Unit,
    holding: Place,
    file: { received: ReceivedFile } | { url: string; fileName: string | null },
  ): Promise<{ id: string; fileName: string | null }>;
  /** Gives up what is not needed any more. */
  discard(file: ReceivedFile): Promise<void>;
}

export function createInboundFiles({
  files,
  secrets,
}: {
  files: MediaFiles;
  secrets: SecretBox;
}): InboundFiles {
  const received = new WeakMap<ReceivedFile, Kept>();

  const keepReceived = async (unit: Unit, { workspaceId, instanceId }: Place, file: ReceivedFile) => {
    const kept = received.get(file);
    if (!kept) throw new Error('a file that was not received here');
    const { media, fileName, mimeType } = kept;
    const type = await getType(media.head, mimeType);
    await lockContent(unit.db, workspaceId, media.sha256.toString('hex'));
    // Its name stays where a transaction that adopted it was rolled back.
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
      created_at: unit.clock(),
    };
    await insertMedia(unit.db, workspaceId, { id, state: 'ready', ...content, ...about });
    return { id, fileName };
  };

  return {
    async receive(workspaceId, source, { fileName, mimeType }) {
      const media = await files.receive(source, null);
      try {
        await media.bring(workspaceId);
      } catch (error) {
        await media.discard();
        throw error;
      }
      const file: ReceivedFile = { size: media.size, sha256: media.sha256.toString('hex') };
      received.set(file, { media, fileName: cleanFileName(fileName), mimeType, isAdopted: false });
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
        created_at: unit.clock(),
      });
      await unit.jobs.enqueue(unit.db, 'media.fetch', { workspaceId, id, tried: 0 });
      return { id, fileName };
    },
    discard: async (file) => received.get(file)?.media.discard(),
  };
}

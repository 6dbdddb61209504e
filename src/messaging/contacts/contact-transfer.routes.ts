/** Operations on files of contacts: CSV in and out. */
import type { Guard } from '../../auth/guard.ts';
import { sendCsv } from '../../http/csv.ts';
import { requireUuid, uuidOf } from '../../http/ids.ts';
import { type Operation, operation } from '../../http/operation.ts';
import { Problem } from '../../http/problem.ts';
import { Job } from '../../jobs/job.schema.ts';
import { MOST_BYTES, type ReceivedMedia } from '../media/media-files.ts';
import { createFromUpload, type MediaServiceDeps, openMedia } from '../media/media.service.ts';
import { noSuch } from '../messages/message-faults.ts';
import { contactPages } from './contact-export.ts';
import { instanceIdOf, startImport } from './contact-import.ts';
import { requireInstance } from './contact-input.ts';
import { ContactExport, ImportContacts, ImportFields, ImportQuery } from './contact.schema.ts';
import { filterOf } from './contact.service.ts';

export interface ContactTransferDeps {
  media: MediaServiceDeps;
  guard: Guard;
}

export const contactTransferOperations = ({ media, guard }: ContactTransferDeps): Operation[] => [
  operation(
    {
      id: 'contacts.import',
      method: 'POST',
      path: '/contacts/import',
      tag: 'Contacts',
      summary: 'Import contacts from CSV',
      description:
        'The file as the body (`text/csv`), as the part `file` of a form, or by its `media_id`; UTF-8, up to 64 MiB. The first line names the columns: `address`, and where you want `name`, `instance_id` or `instance` (its name), `avatar_url`, `metadata` (JSON), `metadata.<key>`. An address that a contact has changes that contact, so a file may be imported again. Empty cells say nothing. The result of the job counts lines as `created`, `updated`, `unchanged` and `failed`, and names the first 1,000 `faults` by line.',
      access: 'contacts:write',
      query: ImportQuery,
      body: ImportContacts,
      upload: {
        fields: ImportFields,
        raw: ['text/csv'],
        maxBytes: MOST_BYTES,
        sink: (stream, announced) => media.files.receive(stream, announced),
      },
      success: { status: 202, description: 'The job.', schema: Job },
      errors: ['not_found', 'conflict', 'storage_full'],
      events: ['contact.created', 'contact.updated', 'import.completed'],
      audit: 'job',
    },
    async ({ actor, query, body, unit, upload }) => {
      if (query.instance_id !== undefined)
        await requireInstance(unit, actor.workspaceId, query.instance_id, '?instance_id');
      const instanceId = instanceIdOf(query.instance_id);
      if (!upload) {
        const id = uuidOf('media', body.media_id)!;
        await openMedia(unit, media.files, actor.workspaceId, id).catch((error: unknown) => {
          throw error instanceof Problem && error.code === 'not_found' ? noSuch('media', '/media_id') : error;
        });
        return { body: await startImport(unit, actor, { id, isOwn: false }, instanceId) };
      }
      // The sink above has made it.
      const file = upload.file as ReceivedMedia;
      const fields = { file_name: upload.fileName ?? 'contacts.csv' };
      const kept = await createFromUpload(unit, media, actor, { ...upload, file, fields });
      const id = requireUuid('media', kept.id);
      return { body: await startImport(unit, actor, { id, isOwn: true }, instanceId) };
    },
    async ({ actor, upload }) => {
      if (upload && upload.file.size > 0) await (upload.file as ReceivedMedia).bring(actor.workspaceId);
    },
  ),
  operation(
    {
      id: 'contacts.export',
      method: 'GET',
      path: '/contacts/export',
      tag: 'Contacts',
      summary: 'Export contacts as CSV',
      description:
        'All that match, a line for each address. It can be imported again. A cell that programs for tables would take for a formula (it begins with `=`, `+`, `-` or `@`) has an apostrophe before it, which an import takes away.',
      access: 'contacts:read',
      query: ContactExport,
      binary: true,
      success: { status: 200, description: 'The file, CSV in UTF-8.' },
    },
    async ({ actor, query, unit, request, reply }) => {
      const pages = contactPages(unit, actor.workspaceId, filterOf(query));
      return sendCsv({ request, reply, actor, guard }, 'contacts.csv', pages);
    },
  ),
];

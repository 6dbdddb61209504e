/** Operations that import and export contacts as CSV. */
import type { Guard } from '../../../core/auth/guard.ts';
import { sendCsv } from '../../../core/api/csv.ts';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import { type Operation, operation } from '../../../core/api/operation.ts';
import { Job } from '../../../core/jobs/job.schema.ts';
import type { ImportFiles } from '../../../core/transfer/import-files.ts';
import { startImport } from '../../../core/transfer/import-job.ts';
import { storeUpload, ImportByMedia, importForm, takeFile } from '../../../core/transfer/import-upload.ts';
import { contactPages } from './contact-export.ts';
import { requireInstance } from './contact-input.ts';
import { ContactExport, ImportQuery } from './contact.schema.ts';
import { getFilter } from './contact.service.ts';

export interface ContactTransferDeps {
  importFiles: ImportFiles;
  guard: Guard;
}

export const contactTransferOperations = ({
  importFiles: files,
  guard,
}: ContactTransferDeps): Operation[] => [
  operation(
    {
      id: 'contacts.import',
      method: 'POST',
      path: '/contacts/import',
      tag: 'Contacts',
      summary: 'Import contacts from CSV',
      description:
        'Send the file as the body (`text/csv`), as the part `file` of a form, or by its `media_id` (requires `media:read`); UTF-8, up to 64 MiB. The first line names the columns: `address`, and optionally `name`, `instance_id` or `instance` (its name), `avatar_url`, `metadata` (JSON), `metadata.<key>`. If a contact already has the address, that contact is updated, so a file can be imported again. Empty cells are ignored. The result of the job counts lines as `created`, `updated`, `unchanged` and `failed`, and lists the first 1,000 `faults` by line.',
      access: 'contacts:write',
      query: ImportQuery,
      body: ImportByMedia,
      upload: importForm(files),
      admitUpload: (...asked) => files.admit(...asked),
      success: { status: 202, description: 'The job.', schema: Job },
      errors: ['not_found', 'conflict', 'quota_exceeded', 'storage_full'],
      events: ['contact.created', 'contact.updated', 'import.completed'],
      audit: 'job',
    },
    ({ actor, unit, upload }) => storeUpload(unit, files, actor.workspaceId, upload),
    async ({ actor, query, body, unit, upload }) => {
      const { instance_id: given } = query;
      if (given !== undefined) await requireInstance(unit, actor.workspaceId, given, '?instance_id');
      const file = await takeFile(unit, files, actor, {
        upload,
        mediaId: body.media_id,
        fileName: 'contacts.csv',
      });
      const instanceId = given === undefined ? null : toUuid('instance', given);
      return { body: await startImport(unit, actor, 'contacts.import', file, { instanceId }) };
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
        'Exports all matching contacts, one line per address. The file can be imported again. Cells that a spreadsheet would interpret as a formula (beginning with `=`, `+`, `-` or `@`) are prefixed with an apostrophe, which an import removes.',
      access: 'contacts:read',
      query: ContactExport,
      binary: true,
      success: { status: 200, description: 'The file, CSV in UTF-8.' },
    },
    async ({ actor, query, unit, request, reply }) => {
      const pages = contactPages(unit, actor.workspaceId, await getFilter(unit, query));
      return sendCsv({ request, reply, actor, guard }, 'contacts.csv', pages);
    },
  ),
];

/** Operations that import and export links as CSV. */
import type { Guard } from '../../../core/auth/guard.ts';
import { sendCsv } from '../../../core/api/csv.ts';
import { type Operation, operation } from '../../../core/api/operation.ts';
import { Strict } from '../../../platform/http/schema.ts';
import { Job } from '../../../core/jobs/job.schema.ts';
import type { ImportFiles } from '../../../core/transfer/import-files.ts';
import { startImport } from '../../../core/transfer/import-job.ts';
import { storeUpload, ImportByMedia, importForm, takeFile } from '../../../core/transfer/import-upload.ts';
import type { LinkDeps } from '../creation/link-deps.ts';
import { listLinks, withoutListed } from '../listing/link-list.service.ts';
import { LINK_FILTERS } from '../records/link.schema.ts';
import { linkPages } from './link-export.ts';

export interface LinkTransferDeps extends LinkDeps {
  importFiles: ImportFiles;
  guard: Guard;
}

const LinkExport = Strict({ ...LINK_FILTERS });
const ImportQuery = Strict({ domain: LINK_FILTERS.domain });

export const linkTransferOperations = (deps: LinkTransferDeps): Operation[] => [
  operation(
    {
      id: 'links.import',
      method: 'POST',
      path: '/links/import',
      tag: 'Links',
      summary: 'Import links from CSV',
      description:
        'Send the file as the body (`text/csv`), as the part `file` of a form, or by its `media_id` (requires `media:read`). It must be UTF-8, up to 64 MiB. The first line names the columns: `url`, and optionally those of an export. Column names of exports from Dub, Shlink, Kutt, Bitly and YOURLS are also recognized. A line updates the link with its `external_id`, or else the link at its domain and slug. Without either, it matches a link with the same values. If there is no such link, one is created, so you can import a file again. A full short URL (`short_url`) provides the slug, and the domain if its host is one of your verified domains. Other links are created on the default domain, or on `?domain=`. Empty cells are ignored. Clicks are not imported. Files contain no passwords: a line whose `has_password` is true creates no link. The result of the job counts lines as `created`, `updated`, `unchanged` and `failed`, and lists the first 1,000 errors by line in `faults`.',
      access: 'links:write',
      query: ImportQuery,
      body: ImportByMedia,
      upload: importForm(deps.importFiles),
      admitUpload: (...asked) => deps.importFiles.admit(...asked),
      success: { status: 202, description: 'The job.', schema: Job },
      errors: ['not_found', 'conflict', 'quota_exceeded', 'storage_full'],
      events: ['link.created', 'link.updated', 'import.completed'],
      audit: 'job',
    },
    ({ actor, unit, upload }) => storeUpload(unit, deps.importFiles, actor.workspaceId, upload),
    async ({ actor, query, body, unit, upload }) => {
      const mediaId = body.media_id;
      const file = await takeFile(unit, deps.importFiles, actor, { upload, mediaId, fileName: 'links.csv' });
      return { body: await startImport(unit, actor, 'links.import', file, { domain: query.domain ?? null }) };
    },
  ),
  operation(
    {
      id: 'links.export',
      method: 'GET',
      path: '/links/export',
      tag: 'Links',
      summary: 'Export links as CSV',
      description:
        'Exports all matching links, newest first. The file can be imported again; it does not contain passwords. Cells that a spreadsheet would interpret as a formula (beginning with `=`, `+`, `-` or `@`) are prefixed with an apostrophe, which an import removes.',
      access: 'links:read',
      query: LinkExport,
      binary: true,
      success: { status: 200, description: 'The CSV file, in UTF-8.' },
    },
    async ({ actor, query, unit, request, reply }) => {
      // An export emits no `link.listed`.
      const quiet = withoutListed(deps);
      const pages = linkPages(unit, (own, page) =>
        listLinks(own, quiet, actor.workspaceId, { ...query, ...page }),
      );
      return sendCsv({ request, reply, actor, guard: deps.guard }, 'links.csv', pages);
    },
  ),
];

/** Operations on files of links: CSV in and out. */
import type { Guard } from '../../../core/auth/guard.ts';
import { sendCsv } from '../../../core/api/csv.ts';
import { type Operation, operation } from '../../../core/api/operation.ts';
import { Strict } from '../../../platform/http/schema.ts';
import { Job } from '../../../core/jobs/job.schema.ts';
import type { ImportFiles } from '../../../core/transfer/import-files.ts';
import { startImport } from '../../../core/transfer/import-job.ts';
import { storeUpload, ImportByMedia, importForm, takeFile } from '../../../core/transfer/import-upload.ts';
import type { LinkDeps } from '../link-deps.ts';
import { listLinks } from '../link-list.service.ts';
import { LINK_FILTERS } from '../link.schema.ts';
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
        'The file as the body (`text/csv`), as the part `file` of a form, or by its `media_id` (needs `media:read`); UTF-8, up to 64 MiB. Its first line names the columns: `url`, and where you want others as an export has them; what exports of Dub, Shlink, Kutt, Bitly and YOURLS call them is known too. A line changes the link with its `external_id`, else that at its domain and slug, else it is the link that is the same in all that it says; where there is none it is made, so a file may be imported again. A whole short address (`short_url`) gives the slug, and its host where that is one of your verified domains; else links stand on the default domain, or all on `?domain=`. Empty cells say nothing. Clicks are not imported, and no file holds a password: a line whose `has_password` is true makes no link. The result of the job counts lines as `created`, `updated`, `unchanged` and `failed`, and names the first 1,000 `faults` by line.',
      access: 'links:write',
      query: ImportQuery,
      body: ImportByMedia,
      upload: importForm(deps.importFiles),
      success: { status: 202, description: 'The job.', schema: Job },
      errors: ['not_found', 'conflict', 'storage_full'],
      events: ['link.created', 'link.updated', 'import.completed'],
      audit: 'job',
    },
    ({ actor, upload }) => storeUpload(deps.importFiles, actor.workspaceId, upload),
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
        'All that match, newest first. It can be imported again; passwords are not in it. A cell that programs for tables would take for a formula (it begins with `=`, `+`, `-` or `@`) has an apostrophe before it, which an import takes away.',
      access: 'links:read',
      query: LinkExport,
      binary: true,
      success: { status: 200, description: 'The file, CSV in UTF-8.' },
    },
    async ({ actor, query, unit, request, reply }) => {
      // A file is no list that somebody looks at.
      const quiet = { ...deps, listed() {} };
      const pages = linkPages(unit, (own, page) =>
        listLinks(own, quiet, actor.workspaceId, { ...query, ...page }),
      );
      return sendCsv({ request, reply, actor, guard: deps.guard }, 'links.csv', pages);
    },
  ),
];

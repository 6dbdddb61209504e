/**
 * `npm run api:types`: writes web/api/schema.d.ts, the types with which the console calls the API, from the API's own
 * document. The file is not committed: the type check generates it.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript';
import { printableDocument } from './openapi.ts';

const document = JSON.stringify(printableDocument());
await writeFile(
  join(import.meta.dirname, '../web/api/schema.d.ts'),
  `${COMMENT_HEADER}${astToString(await openapiTS(document))}`,
);

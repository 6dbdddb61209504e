/**
 * `npm run api:types`: web/api/schema.d.ts, the types that the console calls the API by, from the API's own document.
 * `--check` compares instead.
 */
import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript';
import { printableDocument } from './openapi.ts';
import { writeOrCheck } from './generated-file.ts';

const document = JSON.stringify(printableDocument());
await writeOrCheck(
  'web/api/schema.d.ts',
  `${COMMENT_HEADER}${astToString(await openapiTS(document))}`,
  'api:types',
);

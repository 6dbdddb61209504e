/**
 * The first view of the API reference: the introduction and every operation in brief, as HTML from the OpenAPI
 * document. It is readable before any script runs, or without one; the full reference then replaces it. The anchors
 * are those of the full reference, so a link leads to the same operation in both.
 */
import { escapeHtml, renderInline, renderMarkdown, toSlug } from './markdown.ts';

interface Schema {
  $ref?: string;
  properties?: Record<string, unknown>;
  required?: string[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
}

interface OperationObject {
  operationId: string;
  summary: string;
  description: string;
  deprecated?: boolean;
  tags: [string];
  parameters: (Parameter | { $ref: string })[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

/** The parts of the document that the view shows. */
export interface ReferenceDocument {
  openapi: string;
  info: { title: string; version: string; description: string };
  tags: { name: string; description: string }[];
  'x-tagGroups': { name: string; tags: string[] }[];
  paths: Record<string, Record<string, OperationObject>>;
  components: { schemas: Record<string, unknown>; parameters: Record<string, Parameter> };
}

type Components = ReferenceDocument['components'];

interface Listed extends OperationObject {
  method: string;
  path: string;
}

const tagAnchor = (tag: string): string => `tag/${toSlug(tag)}`;

/** The anchor of an operation, in this view and in the full reference. */
export const operationAnchor = (tag: string, operationId: string): string =>
  `${tagAnchor(tag)}/${operationId}`;

/** Field names of an object, or of all its variants; true for required ones. */
function getFields(schema: Schema, schemas: Record<string, unknown>): Map<string, boolean> {
  if (schema.$ref) return getFields(schemas[schema.$ref.split('/').at(-1)!] as Schema, schemas);
  const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  return new Map([
    ...parts.flatMap((part) => [...getFields(part, schemas)]),
    ...Object.keys(schema.properties ?? {}).map((name) => [name, !!schema.required?.includes(name)] as const),
  ]);
}

function renderNames(label: string, names: Iterable<readonly [name: string, required: boolean]>): string {
  const items = [...names].map(
    ([name, required]) =>
      `<code>${escapeHtml(name)}</code>${required ? ' <span class="required">required</span>' : ''}`,
  );
  return items.length > 0 ? `<div><dt>${label}</dt><dd>${items.join(', ')}</dd></div>` : '';
}

/** Headers that many operations share are left to the introduction. */
function renderParameters({ parameters, requestBody }: Listed, components: Components): string {
  const { schemas } = components;
  const own = parameters.flatMap((given): Parameter[] => {
    if ('name' in given) return [given];
    const shared = components.parameters[given.$ref.split('/').at(-1)!]!;
    return shared.in === 'header' ? [] : [shared];
  });
  const namesIn = (place: string) =>
    own
      .filter((parameter) => parameter.in === place)
      .map(({ name, required }) => [name, !!required] as const);
  const body = requestBody && Object.values(requestBody.content)[0]!.schema;
  const rows = [
    renderNames('Path', namesIn('path')),
    renderNames('Query', namesIn('query')),
    renderNames('Header', namesIn('header')),
    body ? renderNames('Body', getFields(body, schemas)) : '',
  ].join('');
  return rows && `<dl>${rows}</dl>`;
}

function renderOperation(operation: Listed, components: Components): string {
  const anchor = operationAnchor(operation.tags[0], operation.operationId);
  return `<article id="${anchor}">
<h3><a href="#${anchor}">${escapeHtml(operation.summary)}</a>${operation.deprecated ? ' <span class="deprecated">Deprecated</span>' : ''}</h3>
<p class="endpoint"><span class="method" data-method="${operation.method}">${operation.method.toUpperCase()}</span> <code>${escapeHtml(operation.path)}</code></p>
${renderMarkdown(operation.description)}
${renderParameters(operation, components)}
</article>`;
}

/** Returns the view's HTML, without styles or scripts. */
export function renderFirstView(document: ReferenceDocument): string {
  const { info, paths, tags } = document;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Listed => ({ ...operation, method, path })),
  );
  const byTag = Map.groupBy(operations, (operation) => operation.tags[0]);
  const nav = document['x-tagGroups'].map(
    (group) =>
      `<h2>${escapeHtml(group.name)}</h2><ul>${group.tags.map((tag) => `<li><a href="#${tagAnchor(tag)}">${escapeHtml(tag)}</a></li>`).join('')}</ul>`,
  );
  const sections = tags.map(
    ({ name, description }) =>
      `<div class="tag"><h2 id="${tagAnchor(name)}">${escapeHtml(name)}</h2>
<p>${renderInline(description)}</p>
${(byTag.get(name) ?? []).map((operation) => renderOperation(operation, document.components)).join('\n')}</div>`,
  );
  return `<nav class="first-nav" aria-label="Tags"><ul><li><a href="#description/introduction">Introduction</a></li></ul>${nav.join('')}</nav>
<main class="first-main">
<p class="versions"><span>v${escapeHtml(info.version)}</span> <span>OpenAPI ${escapeHtml(document.openapi)}</span></p>
<h1 id="description/introduction">${escapeHtml(info.title)}</h1>
<p class="download"><a href="/openapi.json">Download OpenAPI Document</a></p>
${renderMarkdown(info.description)}
${sections.join('\n')}
</main>`;
}

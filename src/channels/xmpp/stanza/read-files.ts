/**
 * Reads files that a message links to: out-of-band data (XEP-0066), which every client sends, and formats with more
 * details of the same file (XEP-0447, XEP-0385). Only web addresses are accepted, and they are fetched through the
 * egress guard.
 */
import type { Element } from '@xmpp/xml';
import type { MediaType } from '../../contract/capabilities.ts';
import { getChild, getChildren } from './elements.ts';
import { NS } from './namespaces.ts';

const MAX_FILES = 10;
const MAX_URL = 4_096;
const MAX_NAME = 255;

export interface SharedFile {
  url: string;
  fileName: string | null;
  type: MediaType;
}

const FAMILIES: readonly string[] = ['image', 'video', 'audio'];
const EXTENSIONS: [MediaType, RegExp][] = [
  ['image', /\.(?:png|jpe?g|gif|webp|avif|heic|bmp|svg)$/i],
  ['video', /\.(?:mp4|m4v|webm|mov|mkv|avi|3gp)$/i],
  ['audio', /\.(?:mp3|m4a|ogg|oga|opus|wav|flac|aac|amr)$/i],
];

const getType = (mediaType: string | null, fileName: string | null): MediaType => {
  const family = mediaType?.split('/')[0]!.trim().toLowerCase();
  if (family !== undefined && FAMILIES.includes(family)) return family as MediaType;
  return (mediaType === null && EXTENSIONS.find(([, ends]) => ends.test(fileName ?? ''))?.[0]) || 'document';
};

function webAddress(given: string | null): URL | null {
  const text = given?.trim() ?? '';
  if (text === '' || text.length > MAX_URL || !URL.canParse(text)) return null;
  const url = new URL(text);
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:';
  return isWeb && url.username === '' && url.password === '' ? url : null;
}

function nameIn({ pathname }: URL): string | null {
  const last = pathname.slice(pathname.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(last) || null;
  } catch {
    return last; // not percent-encoded UTF-8, so it is kept unchanged
  }
}

interface Described {
  url: string | null;
  name: string | null;
  mediaType: string | null;
}

const textIn = (element: Element | null, name: string, namespace: string): string | null =>
  (element && getChild(element, name, namespace)?.getText().trim()) || null;

function sharedBySfs(sharing: Element): Described {
  const file = getChild(sharing, 'file', NS.fileMetadata);
  const sources = getChild(sharing, 'sources', NS.sfs);
  const target: unknown = (sources && getChild(sources, 'url-data', NS.urlData))?.attrs['target'];
  return {
    url: typeof target === 'string' ? target : null,
    name: textIn(file, 'name', NS.fileMetadata),
    mediaType: textIn(file, 'media-type', NS.fileMetadata),
  };
}

function sharedBySims(reference: Element): Described[] {
  const sharing = getChild(reference, 'media-sharing', NS.sims);
  if (!sharing) return [];
  const file = getChild(sharing, 'file', NS.jingleFile);
  const sources = getChild(sharing, 'sources', NS.sims);
  const uris = sources ? getChildren(sources, 'reference', NS.reference, MAX_FILES) : [];
  const uri = uris.map(({ attrs }) => attrs['uri'] as unknown).find((one) => /^https?:/i.test(String(one)));
  return [
    {
      url: typeof uri === 'string' ? uri : null,
      name: textIn(file, 'name', NS.jingleFile),
      mediaType: textIn(file, 'media-type', NS.jingleFile),
    },
  ];
}

/** Returns each file once, at most ten. The most detailed description of a file counts. */
export function readFiles(stanza: Element): SharedFile[] {
  const described: Described[] = [
    ...getChildren(stanza, 'file-sharing', NS.sfs, MAX_FILES).map(sharedBySfs),
    ...getChildren(stanza, 'reference', NS.reference, MAX_FILES).flatMap(sharedBySims),
    ...getChildren(stanza, 'x', NS.oob, MAX_FILES).map((oob) => ({
      url: textIn(oob, 'url', NS.oob),
      name: null,
      mediaType: null,
    })),
  ];
  const files = new Map<string, SharedFile>();
  for (const { url: given, name, mediaType } of described) {
    const url = webAddress(given);
    if (!url || files.has(url.href) || files.size === MAX_FILES) continue;
    const fileName = (name ?? nameIn(url))?.slice(0, MAX_NAME) ?? null;
    files.set(url.href, { url: url.href, fileName, type: getType(mediaType, fileName) });
  }
  return [...files.values()];
}

/** Returns the text of a body besides the links to its files. */
export function getCaption(body: string, files: readonly SharedFile[]): string | null {
  const lines = body.split('\n').filter((line) => {
    const url = webAddress(line);
    return url === null || !files.some((file) => file.url === url.href);
  });
  return lines.join('\n').trim() || null;
}

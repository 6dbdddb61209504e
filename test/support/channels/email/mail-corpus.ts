/** Mails of every structure, charset and transfer encoding that writers of mail use, each with what is to be read of it. */
import iconv from 'iconv-lite';

export interface CorpusMail {
  id: string;
  /** What it is made of, for messages of failed expectations. */
  about: string;
  source: Buffer;
  /** All of these are in the text, in this order. */
  texts: string[];
  /** None of these is. */
  absent: string[];
  /** Names of its files. */
  files: string[];
  name: string;
}

interface Charset {
  /** As Content-Type has it; null: it has none. */
  label: string | null;
  sentence: string;
  encode(text: string): Buffer;
}

const by = (encoding: string) => (text: string) => iconv.encode(text, encoding);
/** これはテストです in ISO-2022-JP; iconv-lite can't write it. */
const JAPANESE = '\x1b$B$3$l$O%F%9%H$G$9\x1b(B';
const asJapanese = (text: string): Buffer =>
  Buffer.from(text.replaceAll('これはテストです', JAPANESE), 'latin1');

const CHARSETS: Charset[] = [
  { label: 'utf-8', sentence: 'Grüße 灯台 – 5 € 🙂', encode: by('utf8') },
  { label: 'iso-8859-1', sentence: 'It’s 12 € – ok', encode: by('windows-1252') },
  { label: 'us-ascii', sentence: 'It’s 12 € – ok', encode: by('windows-1252') },
  { label: 'Windows-1251', sentence: 'Привет, мир', encode: by('windows-1251') },
  { label: 'koi8-r', sentence: 'Привет, мир', encode: by('koi8-r') },
  { label: 'iso-8859-15', sentence: 'Œuvre à 5 €', encode: by('iso-8859-15') },
  { label: 'iso-2022-jp', sentence: 'これはテストです', encode: asJapanese },
  { label: 'shift_jis', sentence: 'これはテストです', encode: by('shift_jis') },
  { label: 'gb2312', sentence: '你好，世界', encode: by('gbk') },
  { label: 'ks_c_5601-1987', sentence: '안녕하세요', encode: by('cp949') },
  { label: 'big5', sentence: '燈塔在海邊', encode: by('big5') },
  { label: 'cp-850', sentence: 'Größe', encode: by('cp850') },
  { label: null, sentence: 'Grüße 灯台 – 5 €', encode: by('utf8') },
  { label: null, sentence: 'Grüße – 5 €', encode: by('windows-1252') },
  { label: null, sentence: 'これはテストです', encode: asJapanese },
];

type Encoding = '8bit' | 'quoted-printable' | 'base64';
const ENCODINGS: Encoding[] = ['8bit', 'quoted-printable', 'base64'];

function transfer(bytes: Buffer, encoding: Encoding): Buffer {
  if (encoding === '8bit') return bytes;
  const base64 = bytes.toString('base64').replaceAll(/.{76}/g, '$&\r\n');
  if (encoding === 'base64') return Buffer.from(base64);
  const quoted = bytes
    .toString('latin1')
    .replaceAll(
      /[^\r\n -<>-~]|=/g,
      (byte) => `=${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    );
  // Soft breaks also within what was one character.
  return Buffer.from(quoted.replaceAll(/(?:=[\dA-F]{2}|[^=\r\n]){60}/g, '$&=\r\n'));
}

interface Part {
  head: string[];
  content: Buffer;
}

const part = (
  type: string,
  text: string,
  { label, encode }: Charset,
  encoding: Encoding,
  ...more: string[]
): Part => ({
  head: [
    `Content-Type: ${type}${label === null ? '' : `; charset=${label}`}`,
    `Content-Transfer-Encoding: ${encoding}`,
    ...more,
  ],
  content: transfer(encode(text), encoding),
});

let boundaries = 0;
function multi(subtype: string, ...parts: Part[]): Part {
  const boundary = `b${++boundaries}`;
  const pieces = parts.flatMap(({ head, content }) => [
    Buffer.from(`--${boundary}\r\n${head.join('\r\n')}\r\n\r\n`),
    content,
    Buffer.from('\r\n'),
  ]);
  return {
    head: [`Content-Type: multipart/${subtype}; boundary=${boundary}`],
    content: Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]),
  };
}

type Made = { root: Part; texts: string[]; absent?: string[]; files?: string[] };

const logo: Part = {
  head: ['Content-Type: image/png', 'Content-ID: <logo>', 'Content-Transfer-Encoding: base64'],
  content: Buffer.from('iVBORw0KGgo='),
};
const pdf: Part = {
  head: [
    'Content-Type: application/pdf',
    'Content-Disposition: attachment',
    'Content-Transfer-Encoding: base64',
  ],
  content: Buffer.from(Buffer.from('%PDF-1.4\n').toString('base64')),
};
const calendar = (charset: Charset, encoding: Encoding): Part =>
  part('text/calendar', 'BEGIN:VCALENDAR\r\nEND:VCALENDAR', charset, encoding);

const html = (text: string): string => `<html><body><table><tr><td>${text}</td></tr></table></body></html>`;

const STRUCTURES: Record<string, (s: string, c: Charset, e: Encoding) => Made> = {
  plain: (s, c, e) => ({ root: part('text/plain', s, c, e), texts: [s] }),
  html: (s, c, e) => ({ root: part('text/html', html(s), c, e), texts: [s] }),
  named: (s, c, e) => ({
    root: part('text/plain', s, c, e, 'Content-Disposition: inline; filename="message.txt"'),
    texts: [s],
  }),
  alternative: (s, c, e) => ({
    root: multi('alternative', part('text/plain', s, c, e), part('text/html', html(`HTML ${s}`), c, e)),
    texts: [s],
    absent: ['HTML'],
  }),
  'alternative without plain text': (s, c, e) => ({
    root: multi('alternative', part('text/plain', ' \r\n', c, e), part('text/html', html(s), c, e)),
    texts: [s],
  }),
  'mixed, with the footer of a list': (s, c, e) => ({
    root: multi('mixed', part('text/html', html(s), c, e), part('text/plain', '_____\r\nlist', c, e)),
    texts: [s, 'list'],
  }),
  'mixed, plain and then HTML': (s, c, e) => ({
    root: multi('mixed', part('text/plain', `1 ${s}`, c, e), part('text/html', html(`2 ${s}`), c, e)),
    texts: [`1 ${s}`, `2 ${s}`],
  }),
  'related in alternative in mixed': (s, c, e) => ({
    root: multi(
      'mixed',
      multi(
        'alternative',
        part('text/plain', s, c, e),
        multi('related', part('text/html', html(`HTML ${s}`), c, e), logo),
      ),
      pdf,
    ),
    texts: [s],
    absent: ['HTML'],
    files: ['file.pdf'],
  }),
  'alternative in related': (s, c, e) => ({
    root: multi('related', multi('alternative', part('text/html', html(s), c, e)), logo),
    texts: [s],
  }),
  invitation: (s, c, e) => ({
    root: multi('alternative', part('text/plain', s, c, e), calendar(c, e)),
    texts: [s],
    files: ['invite.ics'],
  }),
  'text beside a named text': (s, c, e) => ({
    root: multi(
      'mixed',
      part('text/plain', s, c, e),
      part('text/plain', 'of the file', c, e, 'Content-Disposition: inline; filename="log.txt"'),
    ),
    texts: [s],
    absent: ['of the file'],
    files: ['log.txt'],
  }),
  signed: (s, c, e) => ({
    root: multi('signed', part('text/plain', s, c, e), {
      head: ['Content-Type: application/pgp-signature; name="signature.asc"'],
      content: Buffer.from('-----BEGIN PGP SIGNATURE-----'),
    }),
    texts: [s],
  }),
};

/** A display name in the charset of the text, as an encoded word and as bare bytes. */
function toName({ label, sentence, encode }: Charset, isBare: boolean): { field: Buffer; name: string } {
  const name = sentence.replaceAll(/[^\p{L}\p{N}]+/gu, ' ').trim();
  const bytes = encode(name);
  if (isBare || label === null) return { field: bytes, name };
  return { field: Buffer.from(`=?${label}?B?${bytes.toString('base64')}?=`), name };
}

export function makeCorpus(): CorpusMail[] {
  const mails: CorpusMail[] = [];
  for (const [place, [structure, make]] of Object.entries(STRUCTURES).entries())
    for (const [row, charset] of CHARSETS.entries())
      // Two of three: each pair of structure and charset, of charset and encoding, of encoding and structure is there.
      for (const encoding of ENCODINGS.toSpliced((place + row) % 3, 1)) {
        const { sentence, label } = charset;
        const { root, texts, absent = [], files = [] } = make(sentence, charset, encoding);
        const id = `${mails.length}@corpus.test`;
        // Bare bytes tell their charset as a text without one does: UTF-8, Japanese, or else windows-1252.
        const isBare = mails.length % 2 === 1 && [null, 'utf-8', 'iso-8859-1', 'iso-2022-jp'].includes(label);
        const { field, name } = toName(charset, isBare);
        const source = Buffer.concat([
          Buffer.from(`Message-ID: <${id}>\r\nFrom: `),
          field,
          Buffer.from(` <${mails.length}@x.test>\r\nTo: support@x.test\r\nSubject: `),
          field,
          Buffer.from(`\r\nMIME-Version: 1.0\r\n${root.head.join('\r\n')}\r\n\r\n`),
          root.content,
        ]);
        const about = `${structure}, ${label ?? 'no charset'}, ${encoding}`;
        mails.push({ id, about, source, texts, absent, files, name });
      }
  return mails;
}

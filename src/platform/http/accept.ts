/** Whether a visitor reads pages or JSON. */

const HTML = new Set(['text/html', 'application/xhtml+xml', 'text/*']);
const JSON_TYPES = new Set(['application/json', 'application/problem+json', 'application/*']);
/** Characters of the header that are looked at. */
const MOST = 1_000;

interface Preference {
  /** Quality of pages; 0 where they are not named, as in the range of everything. */
  html: number;
  json: number;
}

/** @param accept the header */
function getPreference(accept: string | undefined): Preference {
  const preference: Preference = { html: 0, json: 0 };
  for (const range of (accept ?? '').slice(0, MOST).toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    const given = parameters.find((parameter) => parameter.startsWith('q='));
    const quality = given === undefined ? 1 : Number(given.slice(2)) || 0;
    if (HTML.has(type)) preference.html = Math.max(preference.html, quality);
    else if (JSON_TYPES.has(type)) preference.json = Math.max(preference.json, quality);
  }
  return preference;
}

/** For error responses: browsers ask for pages, programs don't. */
export const wantsPage = (accept: string | undefined): boolean => {
  const { html, json } = getPreference(accept);
  return html > 0 && html >= json;
};

/** Pages are returned to every client that doesn't prefer JSON. */
export const insistsOnJson = (accept: string | undefined): boolean => {
  const { html, json } = getPreference(accept);
  return json > html;
};

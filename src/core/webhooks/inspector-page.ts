/** The page that a browser shows for an inspector's URL: a person may have followed a link. */
import { wantsPage } from '../../platform/http/accept.ts';
import { heading, page, paragraph } from '../../platform/http/page.ts';
import type { InspectorAnswer } from './inspector.schema.ts';

const TITLE = 'Request inspector';

/** The response to a navigation, regardless of the inspector's configured response. */
export const PAGE_ANSWER: InspectorAnswer = {
  status: 200,
  delay_ms: 0,
  headers: {},
  body: page(
    TITLE,
    heading(TITLE) +
      paragraph(
        'This address records requests that programs send to it. A developer uses it to see what a webhook delivers.',
      ) +
      paragraph(
        'Your visit was recorded with its time, its address and your IP address. Headers and cookies were not recorded. You can close this page.',
      ),
  ),
};

/**
 * Whether a browser navigates to the URL, in a tab or a frame. Browsers indicate it with Sec-Fetch-Mode, but not over
 * plain HTTP to hosts other than localhost; there the accepted types indicate it.
 * @param header returns a header's value by its name in lower case
 */
export function isNavigation(method: string, header: (name: string) => string | null): boolean {
  const mode = header('sec-fetch-mode');
  if (mode !== null) return mode.trim().toLowerCase() === 'navigate';
  const reads = method === 'GET' || method === 'HEAD';
  return (reads || header('upgrade-insecure-requests') === '1') && wantsPage(header('accept') ?? undefined);
}

/** The pages of short links: the password form, the preview, and the card for preview bots. */
import { escapeHtml, heading, page, paragraph } from '../../../platform/http/page.ts';

/** @param fault what was wrong with the password before */
export function passwordPage(fault: string | null): string {
  const title = 'This link needs a password';
  const error = fault === null ? '' : `<p class="bad" id="fault" role="alert">${escapeHtml(fault)}</p>`;
  const described = fault === null ? '' : ' aria-invalid="true" aria-describedby="fault"';
  return page(
    title,
    `${heading(title)}${paragraph('Whoever gave you the link knows it.')}<form method="post">${error}<label for="password">Password</label><input id="password" name="password" type="password" required autofocus autocomplete="off" maxlength="1000"${described}><button>Continue</button></form>`,
  );
}

export interface Card {
  title: string | null;
  description: string | null;
  image: string | null;
}

/** Where a short link leads, before anybody goes. @param target null: it is not shown */
export function previewPage(shortUrl: string, target: string | null, card: Card | null): string {
  const title = card?.title ?? 'Where this link leads';
  const parts = [
    heading(title),
    card?.description ? paragraph(card.description) : '',
    target === null
      ? paragraph('This link does not show where it leads.')
      : paragraph('It leads to this address:') + paragraph(target, 'url'),
    `<a class="go" rel="nofollow noreferrer" href="${escapeHtml(shortUrl)}">Continue</a>`,
  ];
  return page(title, parts.join(''));
}

const property = (name: string, value: string | null): string =>
  value === null ? '' : `<meta property="${name}" content="${escapeHtml(value)}">`;
const named = (name: string, value: string | null): string =>
  value === null ? '' : `<meta name="${name}" content="${escapeHtml(value)}">`;

/** What preview bots read: never where the link leads. */
export function cardPage(shortUrl: string, { title, description, image }: Card): string {
  const shown = title ?? shortUrl;
  const head = [
    property('og:type', 'website'),
    property('og:url', shortUrl),
    property('og:title', shown),
    property('og:description', description),
    property('og:image', image),
    named('description', description),
    named('twitter:card', image === null ? 'summary' : 'summary_large_image'),
    named('twitter:title', shown),
    named('twitter:description', description),
    named('twitter:image', image),
  ];
  return page(shown, heading(shown) + (description === null ? '' : paragraph(description)), head.join(''));
}

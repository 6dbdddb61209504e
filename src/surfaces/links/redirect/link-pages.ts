/** HTML pages of short links: the password form, the preview, and the card for preview bots. */
import { escapeHtml, heading, page, paragraph } from '../../../platform/http/page.ts';

/** Renders the password form. @param errorText error message of the previous attempt */
export function passwordPage(errorText: string | null): string {
  const title = 'This link needs a password';
  const error =
    errorText === null ? '' : `<p class="bad" id="fault" role="alert">${escapeHtml(errorText)}</p>`;
  const described = errorText === null ? '' : ' aria-invalid="true" aria-describedby="fault"';
  return page(
    title,
    `${heading(title)}${paragraph('You can get it from the person who shared the link.')}<form method="post">${error}<label for="password">Password</label><input id="password" name="password" type="password" required autofocus autocomplete="off" maxlength="1000"${described}><button>Continue</button></form>`,
  );
}

export interface Card {
  title: string | null;
  description: string | null;
  image: string | null;
}

/** Renders the page that shows a link's destination. @param target null if it must not be shown */
export function previewPage(shortUrl: string, target: string | null, card: Card | null): string {
  const title = card?.title ?? 'Where this link leads';
  const parts = [
    heading(title),
    card?.description ? paragraph(card.description) : '',
    target === null
      ? paragraph('The destination of this link is hidden.')
      : paragraph('This link goes to:') + paragraph(target, 'url'),
    `<a class="go" rel="nofollow noreferrer" href="${escapeHtml(shortUrl)}">Continue</a>`,
  ];
  return page(title, parts.join(''));
}

const property = (name: string, value: string | null): string =>
  value === null ? '' : `<meta property="${name}" content="${escapeHtml(value)}">`;
const named = (name: string, value: string | null): string =>
  value === null ? '' : `<meta name="${name}" content="${escapeHtml(value)}">`;

/** Renders the page for preview bots. It never contains the destination. */
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

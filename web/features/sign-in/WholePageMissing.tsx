import { t } from '../../copy/text.ts';
import { TextLink } from '../../design/links.tsx';
import { AuthPage } from './AuthPage.tsx';

/** A missing page outside of any workspace. */
export function WholePageMissing() {
  return (
    <AuthPage
      title={t('Page not found')}
      description={t("This page doesn't exist, or you aren't a member of its workspace.")}
    >
      <TextLink to="/">{t('Go to your workspace')}</TextLink>
    </AuthPage>
  );
}

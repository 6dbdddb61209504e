/** Starts the console in the page. */
import '@mantine/core/styles.layer.css';
import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import './shell/global.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { lazy, StrictMode, Suspense, useSyncExternalStore } from 'react';
import { createRoot } from 'react-dom/client';
import { sessionQuery } from './api/auth.ts';
import { createQueryClient } from './api/query-client.ts';
import { createConsoleRouter } from './router.tsx';
import { cssVariables, theme } from './shell/theme.ts';
import { noticeStore } from './ui/notify.ts';

const Notices = lazy(() => import('./shell/Notices.tsx'));

const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
// What the library that locks scrolling behind dialogs reads its nonce from.
Object.assign(globalThis, { __webpack_nonce__: nonce });

const queryClient = createQueryClient(() => {
  queryClient.setQueryData(sessionQuery.queryKey, null);
  void router.invalidate();
});
const router = createConsoleRouter(queryClient);
// Asked for at once, while the page's own code is loaded.
void queryClient.prefetchQuery(sessionQuery);

function App() {
  const anyNotice = useSyncExternalStore(noticeStore.subscribe, noticeStore.everUsed);
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <Suspense>{anyNotice && <Notices />}</Suspense>
      </QueryClientProvider>
    </MantineProvider>
  );
}

// Not needed to see a page.
setTimeout(() => void import('./ui/tooltip.ts'), 1000);

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
